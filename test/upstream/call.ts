/** A received call before its body is validated. */
import * as z from 'zod/mini';
import type { Refusal, RefusalStyle } from './plans/plan.ts';
import type { Endpoint, Route } from './route.ts';

export interface Call {
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly text: string;
  /** The Host header of the request. */
  readonly host: string;
  /** The parsed body; undefined if `text` is not JSON. */
  readonly body: unknown;
}

/** The fields common to all model calls, read before validation. */
export const Envelope = z.looseObject({
  model: z.nullish(z.string()),
  stream: z.optional(z.unknown()),
});

/** The model of a call: from the body, else Azure's deployment. */
export function modelOf(route: Route, body: unknown): string {
  const model = Envelope.safeParse(body).data?.model;
  const isInPath =
    route.azure || ['generate', 'realtime'].includes(route.endpoint) || route.cloud !== undefined;
  return model ?? (isInPath ? (route.name ?? '') : '');
}

const OWN_STYLES: Readonly<Partial<Record<Endpoint, RefusalStyle>>> = {
  messages: 'anthropic',
  generate: 'gemini',
};

/** Gives a refusal without a style the style of the path's vendor. */
export function inOwnWords(refusal: Refusal, { endpoint }: Route): Refusal {
  const style = OWN_STYLES[endpoint];
  return style === undefined ? refusal : { style, ...refusal };
}
