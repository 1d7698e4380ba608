/**
 * Estimates token counts without a tokenizer: cheap enough for the hot path (holds), and the
 * fallback of the exact counter. Work is bounded; media is never counted by its bytes.
 */
import { isFields } from '../json-fields.ts';
import { MediaTokenCounter } from './media-tokens.ts';
import {
  MAX_NODES,
  type MediaPart,
  type PromptVisitor,
  walkPrompt,
  walkValues,
} from './prompt-parts.ts';
import { tokenFamilyOf } from './token-families.ts';

/** Role and separators, as documented by OpenAI for its chat models; also for tools and reply. */
const MESSAGE_TOKENS = 4;
const TOOL_TOKENS = 8;
const REPLY_TOKENS = 3;

/** Characters examined individually; the rest of a longer text is extrapolated from them. */
const SAMPLE_CHARS = 65_536;

/** UTF-8 bytes of a text; extrapolated beyond the first 65,536 characters. */
export function utf8Bytes(text: string): number {
  const sampled = Math.min(text.length, SAMPLE_CHARS);
  let bytes = sampled;
  for (let index = 0; index < sampled; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    // A surrogate unit counts 2 of its pair's 4 bytes.
    bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
  }
  return sampled === text.length ? bytes : Math.ceil((bytes * text.length) / sampled);
}

/** About four bytes per token: 0.25 per Latin letter, 0.75 per Chinese character. */
export function estimateTokens(text: string): number {
  return Math.ceil(utf8Bytes(text) / 4);
}

/**
 * Prompt tokens of a parsed request, for the hold. `model` determines the tokens per image;
 * `endpoint` matters where the fields are ambiguous: `speech` (tts models are billed per character)
 * and `rerank` (the query is read once per document).
 */
export function estimatePrompt(body: unknown, endpoint: string, model = ''): number {
  const special = SPECIAL_PROMPTS.get(endpoint)?.(body, estimateTokens);
  if (special !== undefined) return special;
  const sum = new EstimatingVisitor(new MediaTokenCounter(tokenFamilyOf(model)));
  walkPrompt(body, sum);
  return sum.total();
}

class EstimatingVisitor implements PromptVisitor {
  readonly #media: MediaTokenCounter;
  #bytes = 0;
  #tokens = 0;
  #messages = 0;

  constructor(media: MediaTokenCounter) {
    this.#media = media;
  }

  text(text: string): void {
    this.#bytes += utf8Bytes(text);
  }
  tokens(count: number): void {
    this.#tokens += count;
  }
  message(): void {
    this.#messages++;
  }
  tool(definition: object): void {
    this.#tokens += TOOL_TOKENS;
    // Schema keys are read by the model like values, with quotes and braces around them.
    walkValues(definition, (text) => {
      this.#bytes += utf8Bytes(text) + 4;
    });
  }
  media(part: MediaPart): void {
    this.#tokens += this.#media.count(part);
  }
  total(): number {
    const overhead = this.#messages > 0 ? this.#messages * MESSAGE_TOKENS + REPLY_TOKENS : 0;
    return Math.ceil(this.#bytes / 4) + this.#tokens + overhead;
  }
}

type CountText = (text: string) => number;

const SPECIAL_PROMPTS: ReadonlyMap<
  string,
  (body: unknown, count: CountText) => number | undefined
> = new Map([
  ['speech', (body) => speechCharacters(body)],
  ['rerank', (body, count) => rerankTokens(body, count)],
]);

/** Characters of a speech request for models billed per character (`tts*`); else undefined. */
export function speechCharacters(body: unknown): number | undefined {
  if (!isFields(body) || typeof body.input !== 'string') return undefined;
  return typeof body.model === 'string' && body.model.startsWith('tts')
    ? charactersIn(body.input)
    : undefined;
}

/** Characters of a text, each surrogate pair as one; extrapolated beyond the first 65,536 units. */
function charactersIn(text: string): number {
  const sampled = Math.min(text.length, SAMPLE_CHARS);
  const characters = [...text.slice(0, sampled)].length;
  return Math.ceil((characters * text.length) / Math.max(1, sampled));
}

/** The query and documents of a rerank request, as texts. */
export function rerankTexts(body: unknown): { query: string; documents: string[] } | undefined {
  if (!isFields(body) || !Array.isArray(body.documents)) return undefined;
  const documents = body.documents.slice(0, MAX_NODES).map(textOfDocument);
  return { query: typeof body.query === 'string' ? body.query : '', documents };
}

function textOfDocument(document: unknown): string {
  if (typeof document === 'string') return document;
  return isFields(document) && typeof document.text === 'string' ? document.text : '';
}

function rerankTokens(body: unknown, count: CountText): number | undefined {
  const texts = rerankTexts(body);
  if (!texts) return undefined;
  return texts.documents.reduce(
    (sum, text) => sum + count(text),
    count(texts.query) * texts.documents.length,
  );
}

/** Bytes per second of speech: exact for uncompressed formats (24 kHz, 16 bit), else typical. */
const SOUND_BYTES_PER_SEC: Readonly<Record<string, number>> = {
  pcm: 48_000,
  wav: 48_000,
  flac: 24_000,
  mp3: 16_000,
  aac: 16_000,
  opus: 8_000,
};

export function speechSeconds(format: string, bytes: number): number {
  return bytes / (SOUND_BYTES_PER_SEC[format] ?? SOUND_BYTES_PER_SEC.mp3 ?? 1);
}

/** Rate of OpenAI's speech models billed by audio tokens: about 1,250 tokens per minute. */
const SPEECH_TOKENS_PER_SEC = 20.8;

/** Audio tokens of speech of this duration; 0 for models billed by their input. */
export function speechTokens(model: string, seconds: number): number {
  return /^gpt-.*tts/.test(model) ? Math.ceil(seconds * SPEECH_TOKENS_PER_SEC) : 0;
}

/** Tokens of a transcription by its duration: 1,000 per minute, rounded up to whole seconds. */
export function transcriptionTokens(seconds: number): number {
  return Math.round((Math.ceil(Math.max(0, seconds)) / 60) * 1000);
}
