import {
  type Body,
  collectPrompts,
  type Frame,
  objects,
  pieces,
  text,
  textOf,
  textsOf,
  type Wire,
  type WorkerOutput,
} from './wire.ts';

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** Anthropic Messages: `POST /v1/messages`. */
export const anthropic: Wire = {
  read: (body) => ({
    prompts: collectPrompts(objects(body.messages).filter(isUser).map(readMessage)),
    system: textOf(body.system),
    tools: objects(body.tools).map((tool) => text(tool.name)),
    model: text(body.model),
    stream: body.stream === true,
    wants_json: false,
  }),
  frames(reply) {
    const message = asMessage(reply);
    const { output_tokens } = message.usage;
    const begun = {
      ...message,
      content: [],
      stop_reason: null,
      usage: { ...message.usage, output_tokens: 1 },
    };
    return [
      frame('message_start', { message: begun }),
      ...message.content.flatMap(blockFrames),
      frame('message_delta', {
        delta: { stop_reason: message.stop_reason, stop_sequence: null },
        usage: { output_tokens },
      }),
      frame('message_stop', {}),
    ];
  },
  whole: asMessage,
  failure({ status, retry_after_s, type = TYPES[status] ?? 'api_error' }) {
    const body = { type: 'error', error: { type, message: type } };
    if (retry_after_s === undefined) return { headers: {}, body };
    const reset = String(Math.ceil(Date.now() / 1000) + retry_after_s);
    return {
      headers: {
        'retry-after': String(retry_after_s),
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
        'anthropic-ratelimit-unified-reset': reset,
      },
      body,
    };
  },
};

function isUser(message: Body): boolean {
  return message.role === 'user';
}

/** A message with tool results is no prompt, whatever text a program puts beside them. */
function readMessage({ content }: Body): WorkerOutput {
  const results = objects(content).filter((part) => part.type === 'tool_result').length;
  return { texts: results > 0 ? [] : textsOf(content), results };
}

type Block = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: unknown };

function asMessage({ text, calls, usage, model, id }: Parameters<Wire['whole']>[0]) {
  const content: Block[] = calls.map(({ name, input }) => ({
    type: 'tool_use',
    id: id('toolu_'),
    name,
    input,
  }));
  if (text) content.unshift({ type: 'text', text });
  return {
    id: id('msg_'),
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: usage.input,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: usage.output,
    },
  };
}

function blockFrames(block: Block, index: number): Frame[] {
  const isText = block.type === 'text';
  const content_block = isText ? { type: 'text', text: '' } : { ...block, input: {} };
  const deltas = isText
    ? pieces(block.text).map((text) => ({ type: 'text_delta', text }))
    : pieces(JSON.stringify(block.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  return [
    frame('content_block_start', { index, content_block }),
    ...deltas.map((delta) => frame('content_block_delta', { index, delta })),
    frame('content_block_stop', { index }),
  ];
}

function frame(type: string, rest: object): Frame {
  return { event: type, data: { type, ...rest } };
}
