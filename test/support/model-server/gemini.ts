import {
  type Body,
  collectPrompts,
  objects,
  type Reply,
  text,
  textOf,
  textsOf,
  type Wire,
  type WorkerOutput,
} from './wire.ts';

const STATUS: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** Gemini: `POST /v1beta/models/<model>:streamGenerateContent` and `:generateContent`. */
export const gemini: Wire = {
  read(body, path) {
    const config = objects([body.generationConfig])[0] ?? {};
    const contents = objects(body.contents);
    return {
      prompts: collectPrompts(contents.filter(({ role }) => role !== 'model').map(readContent)),
      system: textOf(objects([body.systemInstruction])[0]?.parts),
      tools: objects(body.tools)
        .flatMap((tool) => objects(tool.functionDeclarations))
        .map(({ name }) => text(name)),
      model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
      stream: path.includes(':streamGenerateContent'),
      wants_json: config.responseMimeType === 'application/json',
    };
  },
  /** Two pieces at least, so that a stream can be cut in the middle. */
  frames(reply) {
    const whole = asContent(reply);
    const [candidate] = whole.candidates;
    const { finishReason: _, ...open } = candidate;
    const last = { ...candidate, content: { role: 'model', parts: [{ text: '' }] } };
    const { usageMetadata: __, ...base } = whole;
    return [{ data: { ...base, candidates: [open] } }, { data: { ...whole, candidates: [last] } }];
  },
  whole: asContent,
  failure({ status, retry_after_s, type = STATUS[status] ?? 'UNAVAILABLE' }) {
    const error = { code: status, status: type, message: type };
    if (retry_after_s === undefined) return { headers: {}, body: { error } };
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retry_after_s}s` },
    ];
    return { headers: { 'retry-after': String(retry_after_s) }, body: { error: { ...error, details } } };
  },
};

/** A session taken up again holds the same result twice. */
function readContent({ parts }: Body): WorkerOutput {
  const answers = objects(parts).flatMap((part) => objects([part.functionResponse]));
  const results = new Set(answers.map(({ id }, at) => id ?? at)).size;
  return { texts: results > 0 ? [] : textsOf(parts), results };
}

function asContent({ text, calls, usage, model }: Reply) {
  const said = text ? [{ text }] : [];
  const asked = calls.map(({ name, input }) => ({ functionCall: { name, args: input } }));
  const candidate = {
    index: 0,
    content: { role: 'model', parts: [...said, ...asked] },
    finishReason: 'STOP',
  };
  return {
    candidates: [candidate] as [typeof candidate],
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
    },
    modelVersion: model,
  };
}
