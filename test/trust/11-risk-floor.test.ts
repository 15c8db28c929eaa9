import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import type { RiskClass } from '../../src/contract/ticket.ts';
import { delegate } from '../../src/engine/delegation.ts';
import { detectRisks, riskClasses } from '../../src/engine/risk-classes.ts';
import { conductWorkflow } from '../../src/workflows/conduct/workflow.ts';
import { startFacts } from '../support/pure-run.ts';
import { worldsOfTest } from '../surfaces/end-to-end.ts';
import { ENGLISH, KOREAN } from './ordinary-tickets.ts';
import { conduct, create } from './tickets.ts';

const newWorld = worldsOfTest();
const CLASSES = { A: 'auth', M: 'data-migration', D: 'irreversible-destructive' } as const;
const UNATTENDED = { mode: { kind: 'unattended' }, trust: 'balanced' } as const;

/** Whether an unattended drive would pause at the first gate of this ticket, by the ticket's own words. */
function pauses(title: string, description = ''): boolean {
  const facts = startFacts({ run: 'B-1' });
  const move = conductWorkflow.start({ title, description }, facts);
  if (!('state' in move)) throw new Error(JSON.stringify(move));
  const said =
    conductWorkflow.announce?.(move.state as never, { kind: 'plan', ...UNATTENDED } as never) ?? [];
  const clarify = said[1];
  return typeof clarify === 'object' && clarify.msg !== 'conduct.plan.accept';
}

const trips = (text: string): RiskClass[] => riskClasses(detectRisks({ title: text }));

describe('the risk floor', () => {
  test.each([
    ['Drop the users table', 'D'],
    ['Delete all users', 'D'],
    ['Migrate users', 'M'],
    ['Authenticate', 'A'],
    ['Authorize admins', 'A'],
    ['Rename column', 'M'],
    ['Rotate the JWT secret', 'A'],
    ['Wipe the archive', 'D'],
    ['Update access control', 'A'],
    ['drop the old users table', 'D'],
    ['Unauthorised access is refused', 'A'],
    ['로그인 화면을 바꾼다', 'A'],
    ['비밀번호 규칙을 늘린다', 'A'],
    ['인증 방식을 바꾼다', 'A'],
    ['마이그레이션을 준비한다', 'M'],
    ['오래된 사용자를 모두 삭제한다', 'D'],
    ['ユーザーの権限を見直す', 'A'],
    ['データベースを移行する', 'M'],
    ['古いデータを削除する', 'D'],
    ['修改登录页面', 'A'],
    ['迁移旧订单', 'M'],
    ['删除所有用户', 'D'],
    ['Cambiar la contraseña', 'A'],
    ['Migrar los pedidos', 'M'],
    ['Eliminar a todos los usuarios', 'D'],
    ['Das Passwort ändern', 'A'],
    ['Kundendaten migrieren', 'M'],
    ['Alle alten Konten löschen', 'D'],
  ] as const)('TRUST-11 CON-117 "%s" trips', (text, name) => {
    expect(trips(text)).toContain(CLASSES[name]);
  });

  test.each([
    'The author wrote with authority',
    'an authoritative source',
    'drop the vegetables',
    'A dropdown for the users table',
    'tablets and columnists',
    '드롭다운 메뉴를 넓힌다',
    'スクロールを直す',
  ])('TRUST-11 CON-117 "%s" trips nothing', (text) => {
    expect([trips(text), pauses(text)]).toEqual([[], false]);
  });

  test.each([
    'Удалить всех пользователей',
    'حذف كل المستخدمين',
    'Supprimer les utilisateurs de la base',
    'Elimina tutti gli utenti dal sistema',
    'Usuń użytkowników',
    'Hapus semua pengguna lama sekarang',
  ])('TRUST-11 CON-117 "%s" has no list and pauses, whatever stands beside it', (text) => {
    expect(pauses(text)).toBe(true);
    expect(pauses('Rename the photos', `This is about the names of photos.\n${text}\nAnd no more.`)).toBe(
      true,
    );
  });

  test('TRUST-11 CON-117 a negated phrase does not hide the next one', () => {
    expect(trips('no drop of a\ndrop table')).toEqual(['irreversible-destructive']);
  });

  test('TRUST-11 CON-117 of 100 ordinary tickets at most 25 pause', () => {
    expect([new Set(ENGLISH.map(String)).size, new Set(KOREAN.map(String)).size]).toEqual([50, 50]);
    const paused = [...ENGLISH, ...KOREAN].filter(([title, description]) => pauses(title, description));
    expect(paused.length).toBeLessThanOrEqual(25);
    // A floor that never pauses would pass too: these few name a risk.
    expect(paused.map(([title]) => title)).toContain('Log out button is hidden on small screens');
  });

  test('TRUST-11 CON-117 a language without a list of risk words does not compile', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'baton-language-'));
    try {
      const errors = (languages: string) => {
        for (const name of ['contract/lang.ts', 'engine/risk-lists.ts']) {
          const source = readFileSync(`src/${name}`, 'utf8');
          const changed = source.replace("'de'] as const", `${languages}] as const`);
          const location = path.resolve('src/contract/ticket.ts');
          mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
          writeFileSync(path.join(folder, name), changed.replace('../contract/ticket.ts', location));
        }
        const program = ts.createProgram([path.join(folder, 'engine/risk-lists.ts')], {
          ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
          ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
          ...{ target: ts.ScriptTarget.ESNext, types: [], lib: ['lib.es2024.d.ts'] },
        });
        const file = program.getSourceFile(path.join(folder, 'engine/risk-lists.ts'));
        return program.getSemanticDiagnostics(file).map(({ messageText }) => String(messageText));
      };
      expect(errors("'de'")).toEqual([]);
      expect(errors("'de', 'fr'").join()).toContain("Property 'fr' is missing");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test.each([
    ['Delete all users', { cause: 'risk-floor', classes: ['irreversible-destructive'] }],
    ['로그인 화면 바꾸기', { cause: 'risk-floor', classes: ['auth'] }],
    ['Удалить всех пользователей', { cause: 'risk-floor', classes: [] }],
  ])('TRUST-11 CON-117 a person’s unattended drive of "%s" pauses', async (title, pause) => {
    const world = newWorld({ git: true });
    await create(world, title);
    expect(await conduct(world, '--pause-at', 'decompose')).toMatchObject({ phase: 'Idea', pause });
  });
});

test('TRUST-11 CON-35 text that no list covers pauses like a risk class', () => {
  const row = {
    ...({ gate: 'clarify', reason: 'clarification-draft', stale: false, revised: false } as const),
    ...{ unproven: false, deliverable: false, classes: [], unread: true, judgement: null, sure_signals: [] },
  };
  expect(delegate({ ...UNATTENDED, row })).toEqual({ kind: 'pause', cause: 'risk-floor', classes: [] });
});
