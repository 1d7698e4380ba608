/**
 * Defines a provider whose work continues after the call that submits it: client routes, upstream
 * requests, and the formats of both. Data and pure functions; `src/relay/tasks` does the rest. To
 * add one, create a file in this folder and list it in `all.ts`.
 */
import type { OptionValues } from '../../domain/options/registry.ts';
import type { TaskColumns, TaskOutcome, TaskTable } from '../../domain/task.ts';
import type { JsonObject } from '../../json/read-json.ts';

/**
 * A path that clients call, below each of the provider's prefixes.
 * - `submit`: submits a task; `name` is passed to `plan` as its kind
 * - `fetch`: one task of the caller, `:id` in the path
 * - `list`: several, `ids` in the body
 * - `ask`: a query about one task that only the upstream can answer
 */
export type TaskRoute =
  | {
      readonly does: 'submit';
      readonly method: 'POST';
      readonly path: string;
      readonly name?: string;
    }
  | { readonly does: 'fetch'; readonly method: 'GET'; readonly path: string }
  | { readonly does: 'list'; readonly method: 'POST'; readonly path: string }
  | { readonly does: 'ask'; readonly method: 'GET'; readonly path: string };

/** The plan for a client's submission. */
export interface TaskPlan {
  /** As in rows and filters: upper case. */
  readonly action: string;
  /** The name used for routing, limits and prices. */
  readonly model: string;
  /** The price in USD if the tables have none; without it, a task that has no price is rejected. */
  readonly usualPrice?: number;
  /** A name whose price, if the tables have one, takes precedence over the model's. */
  readonly priceName?: string;
  /** Multiplier of the price, for videos priced by their length. Default 1. */
  readonly calls?: number;
  /** Id of the task it continues, which requires the same channel and key. */
  readonly origin?: { readonly publicId: string; readonly mustHaveSucceeded: boolean };
  /** Texts written by users, for the sensitive word check. */
  readonly texts: readonly string[];
  /** URL at which the client wants to be notified; '' for none. */
  readonly notifyHook: string;
  /** Columns of the new row. */
  readonly columns: TaskColumns;
  /** Path and body for the upstream, still with the client's id of the original task. */
  readonly path: string;
  readonly body: JsonObject;
}

/** Facts known only after a channel was selected. */
export interface SubmitFacts {
  /** The upstream's id of the original task; '' if there is none. */
  readonly originUpstreamId: string;
  /** URL for the upstream's callbacks; undefined if it should send none. */
  readonly callbackUrl: string | undefined;
}

export interface TaskRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: JsonObject;
}

export interface TaskReply {
  readonly status: number;
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
}

export interface AcceptedTask {
  readonly kind: 'accepted';
  /** '' for a task that is finished with the response. */
  readonly upstreamId: string;
  readonly columns: TaskColumns;
  /** The response to the client. */
  answer(publicId: string, site: TaskSite): JsonObject;
}

export interface RefusedTask {
  readonly kind: 'refused';
  readonly code: string;
  readonly reason: string;
  readonly columns: TaskColumns;
  /** Sent to the client with `status`. */
  readonly status: number;
  readonly body: JsonObject;
  /** Another channel may accept the task. */
  readonly elsewhere: boolean;
  /** None of this channel's accounts works any more. */
  readonly channelIsOut: boolean;
}

export type SubmitAnswer = AcceptedTask | RefusedTask;

/** The state of a task as reported by the upstream. */
export interface TaskReport {
  readonly upstreamId: string;
  readonly outcome: TaskOutcome;
  /** Only the columns that the upstream reported. */
  readonly columns: TaskColumns;
  /** Written only where the row has no value yet. */
  readonly ifEmpty?: TaskColumns;
}

/** What the format of a response depends on, besides the task. */
export interface TaskSite {
  readonly options: OptionValues;
  readonly nowMs: number;
}

/** A refusal, with a code of the error catalogue or of an upstream. */
export interface TaskRefusal {
  readonly status: number;
  /** `upstream_error` for an upstream failure without details. */
  readonly type: string;
  readonly code: string;
  readonly message: string;
}

export interface PolledTask {
  readonly upstreamId: string;
  /** The plan's action. */
  readonly action: string;
}

export interface TaskProvider {
  /** The name in rows and logs. */
  readonly platform: string;
  readonly table: TaskTable;
  readonly channelTypes: readonly number[];
  readonly prefixes: readonly string[];
  readonly routes: readonly TaskRoute[];
  /** Columns of a submission's row until the upstream has responded. */
  readonly submitting: TaskColumns;
  /** A task that is not finished after this time has failed. */
  readonly lifetimeSec: number;

  auth(key: string, nowSec: number): Readonly<Record<string, string>>;
  /** @throws AppError field_missing, field_wrong. */
  plan(request: {
    readonly name: string;
    readonly body: JsonObject;
    readonly options: OptionValues;
  }): TaskPlan;
  buildSubmit(plan: TaskPlan, facts: SubmitFacts): TaskRequest;
  /** Undefined if the response is not in the provider's format. */
  readSubmit(plan: TaskPlan, reply: TaskReply, nowMs: number): SubmitAnswer | undefined;
  /** The upstream request of a route with `does: 'ask'`; `name` is the last part of its path. */
  buildQuestion?(upstreamId: string, name: string): TaskRequest;

  readonly poll: {
    /** Maximum number of ids per request. */
    readonly batch: number;
    /** Without tasks, it builds a request that causes no cost and checks the key. */
    build(tasks: readonly PolledTask[]): TaskRequest;
    read(json: unknown): readonly TaskReport[];
    /** Whether this is a valid response, even an empty one; an HTML page or an error is not. */
    isAnswer(json: unknown): boolean;
  };
  /** Callbacks from the upstream, if the operator allows them. */
  readonly callbacks?: {
    isWanted(options: OptionValues): boolean;
    read(json: unknown): TaskReport | undefined;
    readonly answer: JsonObject;
  };

  /** A task in the format for clients. */
  shown(row: JsonObject, site: TaskSite): JsonObject;
  /** Responses of the routes that `fetch` and `list`. */
  one(task: JsonObject): unknown;
  many(tasks: readonly JsonObject[]): unknown;
  refusal(refusal: TaskRefusal): { readonly status: number; readonly body: JsonObject };
}

/** For upstreams that accept many ids per request. */
export function idsOf(tasks: readonly PolledTask[]): readonly string[] {
  return [...new Set(tasks.map(({ upstreamId }) => upstreamId))];
}
