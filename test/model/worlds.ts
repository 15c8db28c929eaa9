import { approveWorld } from './approve.ts';
import { conductWorld } from './conduct.ts';
import { deliverWorld } from './deliver.ts';
import { specWorld } from './spec.ts';
import type { World } from './world.ts';

/** Every workflow that is searched. A new one is one line here and a file with its world. */
export const WORLDS: Readonly<Record<string, World>> = {
  spec: specWorld,
  deliver: deliverWorld,
  approve: approveWorld,
  conduct: conductWorld,
};
