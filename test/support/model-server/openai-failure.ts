import type { Wire } from './wire.ts';

const TYPES: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' };

/** A refused call in OpenAI's words, the same on both of its paths. */
export const openaiFailure: Wire['failure'] = ({
  status,
  retry_after_s,
  type = TYPES[status] ?? 'server_error',
}) => {
  const error = { type, code: type, message: type };
  if (retry_after_s === undefined) return { headers: {}, body: { error } };
  const resets_at = Math.ceil(Date.now() / 1000) + retry_after_s;
  return {
    headers: { 'retry-after': String(retry_after_s), 'x-ratelimit-reset-requests': `${retry_after_s}s` },
    body: { error: { ...error, resets_at, resets_in_seconds: retry_after_s } },
  };
};
