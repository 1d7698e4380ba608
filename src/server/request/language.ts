/** Selects the language of the texts in a response. */
import type { FastifyRequest } from 'fastify';

/** English or Chinese if the client requests one of them; otherwise undefined. */
export function requestLanguage(request: FastifyRequest): 'en' | 'zh' | undefined {
  const accepted = String(request.headers['accept-language'] ?? '')
    .trim()
    .toLowerCase();
  if (accepted.startsWith('zh')) return 'zh';
  return accepted.startsWith('en') ? 'en' : undefined;
}
