/** Computes a call's cost independently: scaled integers here, fractions in the product. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';

export interface PriceText {
  /** Decimals as text: a ratio of 1 is one unit per token. */
  readonly ratio: string;
  readonly completion: string;
  readonly cache?: string;
  readonly cacheWrite?: string;
  readonly group?: string;
}

export interface Tokens {
  /** Excluding cached tokens. */
  readonly input: number;
  readonly cached?: number;
  readonly written?: number;
  readonly output: number;
}

const DECIMALS = 9;
const ONE = 10n ** BigInt(DECIMALS);

function scaled(decimal: string): bigint {
  const [whole = '0', part = ''] = decimal.split('.');
  return BigInt(whole + part.padEnd(DECIMALS, '0'));
}

/** Whole units: rounded half up, at least 1. */
export function unitsOf(tokens: Tokens, price: PriceText): number {
  const weight =
    BigInt(tokens.input) * ONE +
    BigInt(tokens.cached ?? 0) * scaled(price.cache ?? '1') +
    BigInt(tokens.written ?? 0) * scaled(price.cacheWrite ?? '1.25') +
    BigInt(tokens.output) * scaled(price.completion);
  const exact = weight * scaled(price.ratio) * scaled(price.group ?? '1');
  const divisor = ONE ** 3n;
  const rounded = (2n * exact + divisor) / (2n * divisor);
  return Math.max(1, Number(rounded));
}

export interface ReportedUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: {
    readonly cached_tokens: number;
    readonly cache_write_tokens: number;
  };
}

export function tokensOfUsage(usage: ReportedUsage): Tokens {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  const written = usage.prompt_tokens_details?.cache_write_tokens ?? 0;
  const output = usage.completion_tokens ?? 0;
  return { input: usage.prompt_tokens - cached - written, cached, written, output };
}

interface Message {
  readonly role: string;
  readonly content: string;
}

/** OpenAI's formula: 3 per message plus its role (one token), 3 for the reply. */
export function promptCount(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + 4 + encode(content).length, 3);
}

export function textCount(text: string): number {
  return encode(text).length;
}
