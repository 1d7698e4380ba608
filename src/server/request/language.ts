/** Which language the texts of an answer are in. */
import type { FastifyRequest } from 'fastify';

/** English or Chinese where the client asks for one of them; otherwise undefined. */
export function languageOf(request: FastifyRequest): 'en' | 'zh' | undefined {
  const asked = String(request.headers['accept-language'] ?? '')
    .trim()
    .toLowerCase();
  if (asked.startsWith('zh')) return 'zh';
  return asked.startsWith('en') ? 'en' : undefined;
}
