/**
 * Embeddings: vectors that depend only on the text, as numbers or as base64 of little-endian
 * floats.
 */
import { createHash } from 'node:crypto';
import { embeddingUsage, type Usage } from '../../content/usage.ts';
import { type EmbeddingBody, listOf } from './request-fields.ts';

const USUAL_DIMENSIONS = 1536;
const LARGE_DIMENSIONS = 3072;

/** The same text gives the same vector; a shorter vector is a prefix of the longer one. */
function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  let state = createHash('sha256').update(text).digest().readUInt32LE(0) || 1;
  for (let at = 0; at < dimensions; at++) {
    // xorshift32 (Marsaglia 2003): cheap, and works with any nonzero seed.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    vector[at] = state / 2 ** 31 / Math.sqrt(dimensions);
  }
  return vector;
}

function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString('base64');
}

/** The response without usage, and the usage. */
export function composeEmbeddings(
  body: EmbeddingBody,
  model: string,
): { readonly plain: Record<string, unknown>; readonly usage: Usage } {
  const dimensions =
    body.dimensions ?? (/large/i.test(model) ? LARGE_DIMENSIONS : USUAL_DIMENSIONS);
  const data = listOf(body.input).map((input, index) => {
    const vector = vectorOf(typeof input === 'string' ? input : input.join(), dimensions);
    const embedding = body.encoding_format === 'base64' ? base64Of(vector) : [...vector];
    return { object: 'embedding', index, embedding };
  });
  return { plain: { object: 'list', data, model }, usage: embeddingUsage(body) };
}
