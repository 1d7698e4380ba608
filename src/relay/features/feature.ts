/**
 * What only some calls need. A feature registers in `all.ts`; a stage runs the hooks of the features
 * that apply and imports none of them.
 */
import type { AnswerReader, PlainAnswer } from '../../dialects/hub/answer/answer-reader.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { CountSuccess } from '../admission/count-success.ts';
import type { Admitted, Routed } from '../call/admitted.ts';
import type { Attachments } from '../call/attachments.ts';
import type { Ended } from '../call/call-end.ts';
import type { Intent } from '../call/call-intent.ts';
import type { Caller } from '../call/caller.ts';
import type { Choice } from '../call/choice.ts';
import type { Incoming, Outgoing, Received } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { RoutePlan } from '../call/route-plan.ts';
import type { UpstreamFailure } from '../failures/failed-attempt.ts';
import type { Answer, ArrivedBody, Exchange, WholeAnswer } from '../http/answer-types.ts';

declare module '../call/relay-ports.ts' {
  interface Relay {
    readonly features: Features;
  }
}

export interface Feature {
  readonly client?: ClientFeature;
  readonly route?: RouteFeature;
}

/** What the client's endpoint and dialect are. */
export type ClientSide = Pick<Incoming, 'endpoint' | 'dialect'>;

/** Hooks of calls from some clients. */
export interface ClientFeature {
  /** Asked once per endpoint and dialect. */
  appliesTo(client: ClientSide): boolean;
  /** Reads the body if it is not JSON; undefined leaves it to others. @throws AppError */
  read?(received: Received): Awaitable<Intent | undefined>;
  /** Changes the parsed request, before admission. @throws AppError */
  alter?(
    relay: Ports<'ctx'>,
    caller: Caller,
    received: Received,
    intent: Intent,
  ): Awaitable<Intent>;
  /** Refuses a call whose group and model are known. @throws AppError */
  admit?(relay: Ports<'ctx'>, caller: Caller, asked: Asked): Awaitable<void>;
  /** Limits the channels of a call. @throws AppError */
  candidates?(
    relay: Ports<'ctx'>,
    call: Admitted,
    candidates: readonly ChannelEntry[],
  ): Awaitable<Candidates>;
  /** An answer that its upstream continues without a connection. */
  onAnswer?(relay: Ports<'ctx'>, call: Routed, answer: Answer): Awaitable<Continuation | undefined>;
  /** The client has the whole answer. */
  onDelivered?(relay: Ports<'ctx'>, call: Routed, delivered: Delivered): Awaitable<void>;
}

/** Hooks of attempts on some routes. */
export interface RouteFeature {
  /** Asked once per plan. */
  appliesTo(plan: RoutePlan): boolean;
  /**
   * Fetches what the upstream needs besides the client's request. `call.attachments` has what was
   * fetched for the attempt before. @throws AppError, UpstreamFailure
   */
  prepare?(
    relay: Ports<'ctx' | 'pools'>,
    call: Routed,
    choice: Choice,
  ): Promise<Partial<Attachments>>;
  /** Gets the rest of an answer if the upstream's first reply has only its start. @throws AppError, UpstreamFailure, ClientLeft */
  complete?(
    relay: Ports<'ctx' | 'pools'>,
    call: Routed,
    exchange: Pick<Exchange, 'choice' | 'deadline'>,
    reply: FirstReply,
  ): Promise<ArrivedBody>;
  /** Another request for the same channel, if the failure suggests one. */
  otherRequest?(call: Routed, failure: UpstreamFailure): Routed | undefined;
}

export type Asked = Pick<Intent, 'model' | 'body'>;

export interface FirstReply {
  readonly first: ArrivedBody;
  /** Epoch ms when the upstream was asked. */
  readonly sinceMs: number;
}

export interface Candidates {
  readonly channels: readonly ChannelEntry[];
  /** The one choice that the call is bound to. */
  readonly required?: Choice | undefined;
}

export interface Continuation {
  /** Delivers the upstream's acceptance. */
  accept(
    relay: Ports<'ctx' | 'outcomes' | 'permits'>,
    answer: WholeAnswer,
    countSuccess: CountSuccess,
  ): Promise<Outgoing>;
  /** Ends a call whose stream was cut by either side. */
  leave(
    relay: Ports<'ctx' | 'outcomes' | 'permits'>,
    end: Ended,
    reader: AnswerReader,
  ): Promise<void>;
}

/** The answer: whole, or as the reader of its stream read it. */
export type Delivered =
  | { readonly plain: PlainAnswer }
  | { readonly reader: Pick<AnswerReader, 'keptIds' | 'items'> };

/** The hooks that apply, in the order of their features. */
type Hooks<F> = {
  readonly [H in keyof Omit<F, 'appliesTo'>]-?: readonly NonNullable<F[H]>[];
};

export type ClientHooks = Hooks<ClientFeature>;

export interface Features {
  ofClient(client: ClientSide): ClientHooks;
  ofRoute(plan: RoutePlan): Hooks<RouteFeature>;
}

export function createFeatures(features: readonly Feature[]): Features {
  const clientFeatures = features.flatMap(({ client }) => client ?? []);
  const routeFeatures = features.flatMap(({ route }) => route ?? []);
  const byClient = new Map<string, ClientHooks>();
  const byPlan = new WeakMap<RoutePlan, Hooks<RouteFeature>>();
  return {
    ofClient(client) {
      const name = `${client.dialect} ${client.endpoint}`;
      const known = byClient.get(name);
      if (known !== undefined) return known;
      const applying = clientFeatures.filter((feature) => feature.appliesTo(client));
      const hooks = {
        read: applying.flatMap(({ read }) => read ?? []),
        alter: applying.flatMap(({ alter }) => alter ?? []),
        admit: applying.flatMap(({ admit }) => admit ?? []),
        candidates: applying.flatMap(({ candidates }) => candidates ?? []),
        onAnswer: applying.flatMap(({ onAnswer }) => onAnswer ?? []),
        onDelivered: applying.flatMap(({ onDelivered }) => onDelivered ?? []),
      };
      byClient.set(name, hooks);
      return hooks;
    },
    ofRoute(plan) {
      const known = byPlan.get(plan);
      if (known !== undefined) return known;
      const applying = routeFeatures.filter((feature) => feature.appliesTo(plan));
      const hooks = {
        prepare: applying.flatMap(({ prepare }) => prepare ?? []),
        complete: applying.flatMap(({ complete }) => complete ?? []),
        otherRequest: applying.flatMap(({ otherRequest }) => otherRequest ?? []),
      };
      byPlan.set(plan, hooks);
      return hooks;
    },
  };
}
