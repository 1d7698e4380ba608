/**
 * Converts embeddings to the encoding the client requested: OpenAI's SDKs request base64 by
 * default, and many compatible servers return numbers regardless.
 */
import { isObject, type JsonObject } from '../../../json/read-json.ts';

const FLOAT_BYTES = 4;

/** The answer in the requested `encoding_format`; the same object if nothing changes. */
export function withEmbeddingEncoding(answer: JsonObject, encodingFormat: unknown): JsonObject {
  const { data } = answer;
  if (!Array.isArray(data)) return answer;
  const convert = encodingFormat === 'base64' ? toBase64 : toNumbers;
  const turned = data.map((item: unknown) => {
    if (!isObject(item)) return item;
    const embedding = convert(item.embedding);
    return embedding === item.embedding ? item : { ...item, embedding };
  });
  return turned.every((item, index) => item === data[index]) ? answer : { ...answer, data: turned };
}

/** float32, little endian, as in OpenAI's API. */
function toBase64(embedding: unknown): unknown {
  if (!Array.isArray(embedding)) return embedding;
  const bytes = Buffer.alloc(embedding.length * FLOAT_BYTES);
  for (const [index, value] of embedding.entries())
    bytes.writeFloatLE(Number(value), index * FLOAT_BYTES);
  return bytes.toString('base64');
}

function toNumbers(embedding: unknown): unknown {
  if (typeof embedding !== 'string') return embedding;
  const bytes = Buffer.from(embedding, 'base64');
  const count = Math.floor(bytes.length / FLOAT_BYTES);
  return Array.from({ length: count }, (_, index) => bytes.readFloatLE(index * FLOAT_BYTES));
}
