import { openaiFailure } from './openai-failure.ts';
import {
  type Body,
  collectPrompts,
  type Frame,
  objects,
  pieces,
  type Reply,
  text,
  textsOf,
  type Wire,
  type WorkerOutput,
} from './wire.ts';

/** OpenAI Responses: `POST /v1/responses`. */
export const openaiResponses: Wire = {
  read: (body) => ({
    prompts: collectPrompts(readInput(body.input)),
    system: text(body.instructions),
    tools: objects(body.tools).map((tool) => text(tool.name)),
    model: text(body.model),
    stream: body.stream === true,
    wants_json: /json_schema/.test(JSON.stringify(body.text ?? '')),
  }),
  frames(reply) {
    const done = asResponse(reply);
    const begun = { ...done, status: 'in_progress', output: [], usage: null };
    const frames = [
      frame('response.created', { response: begun }),
      ...done.output.flatMap(itemFrames),
      frame('response.completed', { response: done }),
    ];
    return frames.map(({ event, data }, sequence_number) => ({
      event,
      data: { ...data, sequence_number },
    }));
  },
  whole: asResponse,
  failure: openaiFailure,
};

function readInput(input: unknown): WorkerOutput[] {
  if (typeof input === 'string') return [{ texts: [input], results: 0 }];
  return objects(input).map((item) => {
    if (text(item.type).endsWith('_output')) return { texts: [], results: 1 };
    return { texts: item.role === 'user' ? textsOf(item.content) : [], results: 0 };
  });
}

type Item = ReturnType<typeof messageItem> | ReturnType<typeof callItem>;

function asResponse(reply: Reply) {
  const { usage, id } = reply;
  const output: Item[] = reply.calls.map((call) => callItem(call, id));
  if (reply.text) output.unshift(messageItem(reply.text, id));
  return {
    id: id('resp_'),
    object: 'response',
    created_at: 1,
    model: reply.model,
    status: 'completed',
    output,
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    },
  };
}

function messageItem(said: string, id: Reply['id']) {
  const content = [{ type: 'output_text', text: said, annotations: [] as unknown[] }];
  return { type: 'message' as const, id: id('msg_'), role: 'assistant', status: 'completed', content };
}

function callItem({ name, input }: Reply['calls'][number], id: Reply['id']) {
  const args = JSON.stringify(input);
  const ids = { id: id('fc_'), call_id: id('call_') };
  return { type: 'function_call' as const, ...ids, name, arguments: args, status: 'completed' };
}

function itemFrames(item: Item, output_index: number) {
  const at = { item_id: item.id, output_index };
  const begun = {
    ...item,
    status: 'in_progress',
    ...(item.type === 'message' ? { content: [] } : { arguments: '' }),
  };
  return [
    frame('response.output_item.added', { output_index, item: begun }),
    ...(item.type === 'message'
      ? textFrames(item.content[0]?.text ?? '', at)
      : argumentFrames(item.arguments, at)),
    frame('response.output_item.done', { output_index, item }),
  ];
}

function textFrames(said: string, at: Body) {
  const part = { ...at, content_index: 0 };
  return [
    frame('response.content_part.added', {
      ...part,
      part: { type: 'output_text', text: '', annotations: [] },
    }),
    ...pieces(said).map((delta) => frame('response.output_text.delta', { ...part, delta })),
    frame('response.output_text.done', { ...part, text: said }),
  ];
}

function argumentFrames(args: string, at: Body) {
  return [
    frame('response.function_call_arguments.delta', { ...at, delta: args }),
    frame('response.function_call_arguments.done', { ...at, arguments: args }),
  ];
}

function frame(type: string, rest: object): Frame & { event: string; data: object } {
  return { event: type, data: { type, ...rest } };
}
