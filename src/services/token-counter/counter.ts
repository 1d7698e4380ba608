/**
 * Local token counts for settlement when the upstream reported none. Uses one vocabulary with a
 * factor per model family, off the event loop; on any failure it falls back to the estimate of
 * `domain/token-count/token-estimate.ts`.
 */
import { jsonParts } from '../../domain/token-count/json-parts.ts';
import { MediaTokenCounter } from '../../domain/token-count/media-tokens.ts';
import {
  type MediaPart,
  type PromptVisitor,
  walkPrompt,
} from '../../domain/token-count/prompt-parts.ts';
import {
  estimateTokens,
  rerankTexts,
  speechCharacters,
} from '../../domain/token-count/token-estimate.ts';
import { type TokenFamily, tokenFamilyOf } from '../../domain/token-count/token-families.ts';
import { type CountedRequest, KnownPrompts } from './known-prompts.ts';
import { THREAD_LIMITS, type ThreadLimits } from './thread-limits.ts';
import { TokenizerThread } from './tokenizer-thread.ts';

export interface TokenCounter {
  /** Tokens of a parsed request body; `endpoint` as in `estimatePrompt`. Never rejects. */
  countPrompt(model: string, endpoint: string, body: unknown): Promise<number>;
  /** Tokens of delivered text (content, reasoning, tool names and arguments). Never rejects. */
  countText(model: string, text: string): Promise<number>;
  /**
   * The most tokens that the text of a request takes, syntax included; fewer where the upstream
   * counted an earlier prompt of the conversation. Undefined if the text was not counted, because it
   * is too long or the thread is busy. Never rejects.
   */
  mostTokens(model: string, text: string, request?: CountedRequest): Promise<number | undefined>;
  /** The upstream counted so many tokens in the prompt of a request, whose text may have been counted. */
  promptReported(requestId: string, tokens: number): void;
  /** Ends the thread; pending counts resolve with the estimate. */
  close(): Promise<void>;
}

/**
 * Longer input (in characters, all texts of a call together) is estimated: an exact count is not
 * worth its cost.
 */
const MAX_COUNTED_CHARS = 200_000;
/** A bound is worth more: without it a call may be refused. */
const MAX_BOUNDED_CHARS = 400_000;
/** Text of more bytes in UTF-8 has more characters than that. */
export const MAX_BOUNDED_BYTES = 3 * MAX_BOUNDED_CHARS;
/** Factors of other vocabularies are averages. */
const FACTOR_MARGIN = 1.25;

export function createTokenCounter(limits: ThreadLimits = THREAD_LIMITS): TokenCounter {
  const thread = new TokenizerThread(limits);
  const prompts = new KnownPrompts();
  const countTexts = (family: TokenFamily, texts: readonly string[]) =>
    countAll(thread, family, texts);
  return {
    countPrompt: (model, endpoint, body) =>
      countPrompt(tokenFamilyOf(model), endpoint, body, countTexts),
    countText: async (model, text) => sumOf(await countTexts(tokenFamilyOf(model), [text])),
    mostTokens: async (model, text, request) => {
      if (text.length > MAX_BOUNDED_CHARS) return undefined;
      const parts = jsonParts(text);
      const counts = await thread.count(parts.map((part) => part.text));
      if (counts === undefined) return undefined;
      const countedParts = parts.map(({ text }, index) => ({ text, tokens: counts[index] ?? 0 }));
      const most = mostOf(tokenFamilyOf(model), countedParts);
      const known = request && prompts.add(request, parts, most);
      if (known === undefined) return most;
      const added = countedParts.filter((_, index) => known.isNew(index));
      return Math.min(most, known.tokens + mostOf(tokenFamilyOf(model), added));
    },
    promptReported: (requestId, tokens) => prompts.reported(requestId, tokens),
    close: () => thread.close(),
  };
}

/** Latin letters, punctuation and symbols. */
const LATIN = /[\0-\u024f\u2000-\u2bff]+/g;
/** A token is at least one byte in UTF-8. */
const BYTES_PER_CHAR = 3;

interface CountedText {
  readonly text: string;
  readonly tokens: number;
}

function mostOf({ latin, cjk }: TokenFamily, parts: readonly CountedText[]): number {
  const tokens = sumOf(parts.map((part) => part.tokens));
  if (latin === 1 && cjk === 1) return tokens;
  const others =
    cjk > latin
      ? sumOf(parts.map(({ text }) => text.replace(LATIN, '').length * BYTES_PER_CHAR))
      : 0;
  const most = tokens * latin + Math.min(tokens, others) * Math.max(0, cjk - latin);
  return Math.ceil(most * FACTOR_MARGIN);
}

type CountTexts = (family: TokenFamily, texts: readonly string[]) => Promise<readonly number[]>;

async function countPrompt(
  family: TokenFamily,
  endpoint: string,
  body: unknown,
  countTexts: CountTexts,
): Promise<number> {
  const characters = endpoint === 'speech' ? speechCharacters(body) : undefined;
  if (characters !== undefined) return characters;
  const rerank = endpoint === 'rerank' ? rerankTexts(body) : undefined;
  if (rerank) {
    const [query = 0, ...documents] = await countTexts(family, [rerank.query, ...rerank.documents]);
    return query * documents.length + sumOf(documents);
  }
  const parts = new PromptParts(family);
  walkPrompt(body, parts);
  return parts.overhead() + sumOf(await countTexts(family, parts.texts));
}

/** Collects the texts of a prompt and sums everything that is counted by formula. */
class PromptParts implements PromptVisitor {
  readonly texts: string[] = [];
  readonly #family: TokenFamily;
  readonly #media: MediaTokenCounter;
  #tokens = 0;
  #messages = 0;

  constructor(family: TokenFamily) {
    this.#family = family;
    this.#media = new MediaTokenCounter(family);
  }
  text(text: string): void {
    this.texts.push(text);
  }
  tokens(count: number): void {
    this.#tokens += count;
  }
  message(): void {
    this.#messages++;
  }
  tool(definition: object): void {
    this.#tokens += this.#family.toolTokens;
    this.texts.push(JSON.stringify(definition));
  }
  media(part: MediaPart): void {
    this.#tokens += this.#media.count(part);
  }
  overhead(): number {
    if (this.#messages === 0) return this.#tokens;
    return this.#tokens + this.#messages * this.#family.messageTokens + this.#family.replyTokens;
  }
}

/** One count per text, multiplied by the family's factor. */
async function countAll(
  thread: TokenizerThread,
  family: TokenFamily,
  texts: readonly string[],
): Promise<readonly number[]> {
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  const isWorthIt = chars > 0 && chars <= MAX_COUNTED_CHARS;
  const counts = isWorthIt ? await thread.count(texts) : undefined;
  return texts.map((text, index) => {
    const tokens = counts?.[index] ?? estimateTokens(text);
    return Math.ceil(tokens * factorOf(family, text));
  });
}

const SAMPLE_CHARS = 4096;
/** Approximate tokens per character, used to weight the two factors of a mixed text. */
const LATIN_WEIGHT = 0.25;
const CJK_WEIGHT = 0.75;

function factorOf(family: TokenFamily, text: string): number {
  if (family.latin === family.cjk) return family.latin;
  const sample = text.slice(0, SAMPLE_CHARS);
  const cjk =
    (sample.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g)?.length ?? 0) * CJK_WEIGHT;
  const latin = sample.length * LATIN_WEIGHT - (cjk / CJK_WEIGHT) * LATIN_WEIGHT;
  return cjk + latin === 0
    ? family.latin
    : (cjk * family.cjk + latin * family.latin) / (cjk + latin);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
