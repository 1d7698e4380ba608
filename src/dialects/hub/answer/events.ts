/**
 * Dialect-neutral events of a streamed answer. Text and thinking come in pieces: the first piece
 * opens a block; another kind or `block_end` closes it. Tool calls are identified by their `slot`,
 * so that parallel calls may be interleaved.
 */
import type { Usage } from '../../../domain/pricing/usage.ts';
import type { UpstreamError } from '../../../upstream-errors/upstream-error.ts';
import type { AudioBlock, Citation, ImageBlock, Signature } from '../blocks.ts';
import type { Vendor } from '../extras.ts';
import type { Stop } from './stop.ts';

export type HubEvent =
  /** The answer to which the following events belong; without this event there is only one. */
  | { readonly kind: 'choice'; readonly index: number }
  | { readonly kind: 'start'; readonly id?: string; readonly model?: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refusal'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  /** Signs the open block; if none is open, it signs thinking that is not shown. */
  | { readonly kind: 'signature'; readonly signature: Signature }
  | { readonly kind: 'redacted_thinking'; readonly origin: Vendor; readonly data: string }
  /** A summary that replaces everything before it. */
  | { readonly kind: 'compaction'; readonly text: string }
  | { readonly kind: 'citation'; readonly citation: Citation }
  | { readonly kind: 'media'; readonly block: ImageBlock | AudioBlock }
  | { readonly kind: 'block_end' }
  | {
      readonly kind: 'tool_start';
      readonly slot: number;
      readonly id: string;
      readonly name: string;
      /** The arguments are free text, not JSON. */
      readonly custom?: true;
      readonly signature?: Signature;
    }
  | { readonly kind: 'tool_args'; readonly slot: number; readonly json: string }
  | { readonly kind: 'tool_end'; readonly slot: number }
  /**
   * Cumulative; replaces earlier usage. `isPartial`: prompt tokens are known, output tokens are not
   * yet.
   */
  | { readonly kind: 'usage'; readonly usage: Usage; readonly isPartial?: true }
  | { readonly kind: 'finish'; readonly stop: Stop; readonly stopSequence?: string }
  | { readonly kind: 'error'; readonly error: UpstreamError };
