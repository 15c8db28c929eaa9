import { createTranslator } from '../../../src/runtime/translate.ts';
import { announceMessages } from '../../../src/workflows/conduct/announce-messages.ts';
import { edgeMessages } from '../../../src/workflows/conduct/edge-messages.ts';
import { overviewMessages } from '../../../src/workflows/conduct/overview-messages.ts';

/** All catalogues of this folder in one. */
export const texts = {
  en: { ...edgeMessages.en, ...overviewMessages.en, ...announceMessages.en },
  ko: { ...edgeMessages.ko, ...overviewMessages.ko, ...announceMessages.ko },
};

export const translator = (lang: 'en' | 'ko') => createTranslator(null, lang, texts);
