import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { besideTheRun } from './store-beside.ts';
import { commits } from './store-commit.ts';
import type { Fixture } from './store-fixture.ts';
import { gatesAndMessages } from './store-gates.ts';
import { knowledgeLedger } from './store-knowledge.ts';
import { settingsAndTickets } from './store-settings.ts';

/** A place for one test: every `open` is a connection of its own to the same data. */
export interface StoreLocation {
  open(): Promise<Store>;
  remove(): void;
}

/** The one suite every store passes: `storeConformance('sqlite', (now) => place)`. */
export function storeConformance(name: string, make: (now: () => string) => StoreLocation): void {
  describe(`${name} store`, () => {
    let location: StoreLocation;
    let store: Store;
    let other: Store;
    beforeEach(async () => {
      location = make(() => '2026-02-02T00:00:00.000Z');
      store = await location.open();
      other = await location.open();
    });
    afterEach(() => {
      store.close();
      other.close();
      location.remove();
    });
    const fixture: Fixture = {
      get store() {
        return store;
      },
      get other() {
        return other;
      },
      load: async (id) => {
        const run = await store.load(id);
        if (!run) throw new Error(`${id} is not stored`);
        return run;
      },
      commit: (...changes) => store.commit(changes),
    };
    commits(fixture);
    gatesAndMessages(fixture);
    besideTheRun(fixture);
    knowledgeLedger(fixture);
    settingsAndTickets(fixture);
  });
}
