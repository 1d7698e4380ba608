/**
 * An entry of the model catalogue: the list prices of a model, and what it can do. A price is a set
 * of rates, and variants of single rates that replace them under a condition.
 */

/** What a rate is for, and its unit. */
export type RateKind =
  // USD per million tokens.
  | 'input'
  | 'cache_read'
  /** Writes with a lifetime of five minutes or an unknown one. */
  | 'cache_write'
  | 'cache_write_1h'
  | 'audio_input'
  | 'image_input'
  | 'output'
  | 'audio_output'
  | 'image_output'
  // USD per 1,000 uses of a vendor's tool.
  | 'web_search'
  | 'file_search'
  | 'code_session'
  /** USD per call, and per image, query or page where one call delivers several. */
  | 'call'
  /** USD per second of audio. */
  | 'second'
  /** USD per million characters. */
  | 'character';

/** Decimal numbers in USD; a kind without a rate costs what `completeRates` derives for it. */
export type Rates = Readonly<Partial<Record<RateKind, number>>>;

/** Hours of the week, such as the off-peak hours of a vendor. */
export interface WeekHours {
  /** IANA name of the time zone of `from` and `until`. */
  readonly zone: string;
  /** 1 is Monday, 7 is Sunday; every day when absent. */
  readonly days?: number[];
  /** `HH:MM`; the hours pass midnight when `until` is not after `from`. */
  readonly from: string;
  readonly until: string;
}

/** All given conditions must hold. */
export interface RateCondition {
  /** The prompt has more tokens than this; the rates then hold for the whole request. */
  readonly prompt_above?: number;
  /** With `prompt_above`: the rates hold only for the part of the input above it. */
  readonly is_marginal?: true;
  /** Service tier of the answer. */
  readonly tier?: string;
  readonly hours?: WeekHours;
  /** First day, `YYYY-MM-DD` in UTC. */
  readonly from?: string;
  /** Last day, `YYYY-MM-DD` in UTC. */
  readonly until?: string;
  /** Name of the provider type of the channel, such as `groq`. */
  readonly provider?: string;
}

/** Replaces rates, or multiplies all rates per token, while its condition holds. */
export interface RateVariant {
  readonly when: RateCondition;
  readonly rates?: Rates;
  /** Factor on all rates per token. */
  readonly factor?: number;
}

export type Modality = 'text' | 'image' | 'audio' | 'video' | 'pdf';

export interface ModelEntry {
  /** The name that the vendor gives the model, then other names of the same model. */
  readonly names: readonly string[];
  /** Who publishes the price, such as `openai`. */
  readonly maker: string;
  /** Absent when there is no price, which `no_price` explains. */
  readonly rates?: Rates;
  /** In order: a later one replaces what earlier ones set. */
  readonly variants?: readonly RateVariant[];
  /** Why the model has no price: such a call is refused until the operator sets one. */
  readonly no_price?: string;
  /** No published price was known: the price is that of the nearest similar model. */
  readonly is_estimated?: true;
  /** Catalogue or page, and date, of the price: `pi-ai 2026-11-10`. */
  readonly source: string;
  /** Tokens of prompt and answer together. */
  readonly context?: number;
  /** Maximum tokens of one answer, including reasoning. */
  readonly output_limit?: number;
  readonly takes?: readonly Modality[];
  readonly gives?: readonly Modality[];
  /** `YYYY-MM-DD`. */
  readonly released?: string;
  readonly retired?: string;
}

export interface CatalogFile {
  /** The catalogues that the file was built from, with their dates. */
  readonly sources: Readonly<Record<string, string>>;
  readonly models: readonly ModelEntry[];
}
