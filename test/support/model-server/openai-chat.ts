import { openaiFailure } from './openai-failure.ts';
import { collectPrompts, objects, pieces, type Reply, text, textOf, textsOf, type Wire } from './wire.ts';

/** OpenAI Chat Completions: `POST /v1/chat/completions`. */
export const openaiChat: Wire = {
  read(body) {
    const messages = objects(body.messages);
    return {
      prompts: collectPrompts(
        messages.map(({ role, content }) => ({
          texts: role === 'user' ? textsOf(content) : [],
          results: role === 'tool' ? 1 : 0,
        })),
      ),
      system: messages
        .filter(({ role }) => role === 'system' || role === 'developer')
        .map(({ content }) => textOf(content))
        .join('\n'),
      tools: objects(body.tools).map((tool) => text(objects([tool.function])[0]?.name)),
      model: text(body.model),
      stream: body.stream === true,
      wants_json: /json_schema|json_object/.test(JSON.stringify(body.response_format ?? '')),
    };
  },
  frames(reply) {
    const base = { ...head(reply), object: 'chat.completion.chunk' };
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      data: { ...base, choices: [{ index: 0, delta, finish_reason }] },
    });
    const calls = toolCalls(reply);
    return [
      chunk({ role: 'assistant', content: '' }),
      ...pieces(reply.text).map((content) => chunk({ content })),
      ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
      chunk({}, finishOf(reply)),
      { data: { ...base, choices: [], usage: usageOf(reply) } },
      { data: '[DONE]' },
    ];
  },
  whole(reply) {
    const calls = toolCalls(reply);
    const message = {
      role: 'assistant',
      content: reply.text || null,
      ...(calls.length && { tool_calls: calls }),
    };
    const choices = [{ index: 0, finish_reason: finishOf(reply), message }];
    return { ...head(reply), object: 'chat.completion', choices, usage: usageOf(reply) };
  },
  failure: openaiFailure,
};

function head({ id, model }: Reply) {
  return { id: id('chatcmpl-'), created: 1, model };
}

function toolCalls({ calls, id }: Reply) {
  return calls.map(({ name, input }) => {
    const called = { name, arguments: JSON.stringify(input) };
    return { id: id('call_'), type: 'function', function: called };
  });
}

function finishOf({ calls }: Reply): string {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf({ usage: { input, output } }: Reply) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}
