/** An item of a running response that can still grow. */
import type { JsonObject } from '../../json/read-json.ts';
import { textPart } from './answer-parts.ts';

export interface ItemPart {
  readonly kind: 'text' | 'refusal';
  text: string;
  readonly annotations: JsonObject[];
}

export type OpenItem =
  | { readonly kind: 'message'; readonly index: number; readonly id: string; parts: JsonObject[] }
  | {
      readonly kind: 'reasoning';
      readonly index: number;
      readonly id: string;
      text: string;
      proof: string | undefined;
    };

export function partOf({ kind, text, annotations }: ItemPart): JsonObject {
  return kind === 'text' ? textPart(text, annotations) : { type: 'refusal', refusal: text };
}
