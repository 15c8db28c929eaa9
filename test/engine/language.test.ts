import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LANGUAGES, type Lang } from '../../src/contract/lang.ts';
import { countWords, detectLanguage } from '../../src/engine/language.ts';

/** Some characters of these scripts are symbols to Unicode. */
const LETTER = /[\p{L}\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

describe('language of a first message', () => {
  test.each([
    ['ko', '사진 이름을 날짜로 바꾸는 도구'],
    ['ko', 'export 명령에 --json 플래그를 추가해 주세요'],
    ['ko', 'React hook dependency array warning 수정해줘'],
    ['ko', 'login page 수정'],
    ['ko', '`the parser of the config` 함수가 src/engine/paths.ts 에서 느립니다'],
    ['ja', '写真の名前を日付で変更するツール'],
    ['ja', 'export コマンドに JSON オプションを追加'],
    ['zh', '按日期重命名照片的工具'],
    ['zh', '给 export 命令添加一个 JSON 选项'],
    ['zh', '请把标题改成 사진'],
    ['en', 'Add a --json flag to the export command'],
    ['en', 'Translate the label "사진" on the settings page'],
    ['en', 'Fix typo in label "안녕하세요"'],
    ['en', 'Rename photos'],
    ['en', 'Rename 사진 label everywhere'],
    ['en', 'Change the title of the page to 사진'],
    ['es', 'Añade una opción --json al comando de exportación'],
    ['es', 'Quiero una herramienta para renombrar fotos por fecha'],
    ['de', 'Füge dem Exportbefehl eine Option für JSON hinzu'],
    ['de', 'Ein Werkzeug, das Fotos nach Datum umbenennt'],
    ['en', 'Ajoute une option au menu de la page pour les photos'],
    ['en', 'Добавь новый параметр'],
    ['en', ''],
    ['en', 'src/engine/paths.ts'],
  ] as const)('%s: %s', (lang, text) => {
    expect(detectLanguage(text)).toBe(lang);
  });
});

describe('language of a later message', () => {
  test.each([
    ['a bare yes keeps it', 'ko', 'ok', 'ko'],
    ['an id keeps it', 'de', 'AC-4', 'de'],
    ['a single hint keeps it', 'ko', 'fix the tests', 'ko'],
    ['a tie keeps it', 'ko', 'rename in an archive', 'ko'],
    ['a sentence changes it', 'ko', 'Please keep the old name and add a test for it', 'en'],
    ['one Korean word is enough', 'en', '네', 'ko'],
    ['only code keeps it', 'es', '```\nthe end of the file\n```', 'es'],
    ['a language we do not speak keeps it', 'de', 'Ajoute une option au menu de la page', 'de'],
    ['a few Han characters stay Japanese', 'ja', '写真', 'ja'],
    ['a whole sentence in Han is Chinese', 'ja', '按日期重命名照片的工具', 'zh'],
  ] as const)('%s', (_sentence, previous, text, expected) => {
    expect(detectLanguage(text, previous)).toBe(expected);
  });

  test('any text gives one of the languages, and without a letter the previous one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom<Lang>(...LANGUAGES), (text, previous) => {
        const lang = detectLanguage(text, previous);
        expect(LANGUAGES).toContain(lang);
        if (!LETTER.test(text)) expect(lang).toBe(previous);
      }),
    );
  });
});

describe('counting words', () => {
  test.each([
    [0, ' - — · '],
    [4, 'four words, counted - well'],
    [3, '사진 이름을 바꿉니다'],
    [4, '按日期重命名照'],
    [3, 'JSON 选项 x'],
  ])('%i in %j', (n, text) => {
    expect(countWords(text)).toBe(n);
  });
});
