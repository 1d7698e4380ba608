/** Tags of texts that browsers keep and ask for again. */
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

export function etagOf(...texts: readonly string[]): string {
  const hash = createHash('sha256').update(texts.join('\n')).digest('base64url');
  return `"${hash.slice(0, 22)}"`;
}

/** A proxy that compresses marks the tag as weak. */
export function isUnchanged({ headers }: FastifyRequest, etag: string): boolean {
  const tags = headers['if-none-match']?.split(',') ?? [];
  return tags.some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
