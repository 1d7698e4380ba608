/** Splits text into streamed pieces: one short piece per token. */
import { createHash } from 'node:crypto';

/** Up to eight letters with the preceding space, else a single character (CJK, emoji). */
const PIECE = / ?[!-\u2dff]{1,8}|[\s\S]/gu;

/** Longest part of a prompt that is echoed, in characters. */
const ECHO_LIMIT = 2000;

const OPENINGS = ['You said: ', 'I read: ', 'Your words were: ', 'In short: '] as const;

export function piecesOf(text: string): string[] {
  return text.match(PIECE) ?? [];
}

/** Ordinary pieces are one token; the large pieces of a plan count one per 16 characters. */
export function tokensIn(piece: string): number {
  return Math.max(1, Math.ceil(piece.length / 16));
}

export function tokensOf(pieces: readonly string[]): number {
  return pieces.reduce((sum, piece) => sum + tokensIn(piece), 0);
}

/** Tokens of a prompt's text: a quarter of its UTF-8 bytes, rounded up. */
export function promptTokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** A short stable id of a request, so that equal requests get equal responses. */
export function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('base64url').replace(/[-_]/g, 'x').slice(0, 28);
}

/** The response to `text`; `variant` (seed plus choice index) selects the wording. */
export function echo(text: string, variant: number): string {
  const opening = OPENINGS[Math.abs(variant) % OPENINGS.length] ?? OPENINGS[0];
  return opening + (text === '' ? 'nothing.' : cutText(text, ECHO_LIMIT));
}

/** At most `limit` characters, without splitting a surrogate pair. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(limit - 1));
  return text.slice(0, splitsPair ? limit - 1 : limit);
}

/** Text up to the first stop sequence; empty sequences are ignored. */
export function cutAtStop(
  text: string,
  stop: string | readonly string[] | null | undefined,
): string {
  const stops = typeof stop === 'string' ? [stop] : (stop ?? []);
  const ends = stops.filter((word) => word !== '').map((word) => text.indexOf(word));
  const found = ends.filter((index) => index >= 0);
  return found.length === 0 ? text : text.slice(0, Math.min(...found));
}
