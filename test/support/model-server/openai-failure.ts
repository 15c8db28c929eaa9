import type { Wire } from './wire.ts';

/** A refused call in OpenAI's words, the same on both of its paths. */
export const openaiFailure: Wire['failure'] = ({ status, retry_after_s, message }) => {
  const type = status === 429 ? 'rate_limit_exceeded' : 'server_error';
  const error = { type, code: type, message: message ?? type };
  if (retry_after_s === undefined) return { headers: {}, body: { error } };
  const seconds = String(retry_after_s);
  return {
    headers: { 'retry-after': seconds, 'x-ratelimit-reset-requests': `${seconds}s` },
    body: { error: { ...error, resets_in_seconds: retry_after_s } },
  };
};
