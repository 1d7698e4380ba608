/**
 * What the gateway knows of a provider whose work goes on after the call that began it: how clients
 * ask, how the upstream is asked, and what both say. Data and pure functions; `src/relay/tasks` does
 * the rest. A new one is a file beside this one and a line in `all.ts`.
 */
import type { OptionValues } from '../../domain/options/registry.ts';
import type { TaskColumns, TaskOutcome, TaskTable } from '../../domain/task.ts';
import type { JsonObject } from '../../json/read-json.ts';

/**
 * A path that clients call, below each of the provider's prefixes.
 * - `submit`: begins a task; `name` tells `plan` which kind
 * - `fetch`: one task of the caller, `:id` in the path
 * - `list`: several, `ids` in the body
 * - `ask`: a question about one task that only the upstream can answer
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

/** What a client asks to have done. */
export interface TaskPlan {
  /** As rows and filters name it: upper case. */
  readonly action: string;
  /** The name it is routed, limited and priced by. */
  readonly model: string;
  /** The price in USD where the tables have none; without one a task that has no price is refused. */
  readonly usualPrice?: number;
  /** A name whose price counts before the model's, where the tables have one. */
  readonly priceName?: string;
  /** How often the price is taken: videos are priced by their length. Default 1. */
  readonly calls?: number;
  /** Id of the task it goes on from: then the same channel and key do it. */
  readonly origin?: { readonly publicId: string; readonly mustHaveSucceeded: boolean };
  /** What people wrote, for the word check. */
  readonly texts: readonly string[];
  /** Address the client wants to be told at; '' for none. */
  readonly notifyHook: string;
  /** Columns of the new row. */
  readonly columns: TaskColumns;
  /** Path and body for the upstream, the origin's id still as the client knows it. */
  readonly path: string;
  readonly body: JsonObject;
}

/** What is known only once a channel is chosen. */
export interface SubmitFacts {
  /** Of the origin; '' without one. */
  readonly originUpstreamId: string;
  /** Where the upstream may tell of the task; undefined when it shall not. */
  readonly callbackUrl: string | undefined;
}

export interface TaskRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: JsonObject;
}

export interface TaskReply {
  readonly status: number;
  /** Undefined for a body that is not JSON. */
  readonly json: unknown;
}

export type SubmitAnswer =
  | {
      readonly kind: 'accepted';
      /** '' for work that is done with the answer. */
      readonly upstreamId: string;
      readonly columns: TaskColumns;
      /** The answer for the client. */
      answer(publicId: string, site: TaskSite): JsonObject;
    }
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly reason: string;
      readonly columns: TaskColumns;
      /** Passed on to the client with `status`. */
      readonly status: number;
      readonly body: JsonObject;
      /** Another channel may take it. */
      readonly elsewhere: boolean;
      /** No account of this channel works any more. */
      readonly channelIsOut: boolean;
    };

/** What an upstream says of a task. */
export interface TaskReport {
  readonly upstreamId: string;
  readonly outcome: TaskOutcome;
  /** Without those the upstream said nothing about. */
  readonly columns: TaskColumns;
  /** Written where the row holds nothing yet. */
  readonly ifEmpty?: TaskColumns;
}

/** What the form of an answer depends on beside the task. */
export interface TaskSite {
  readonly options: OptionValues;
  readonly nowMs: number;
}

/** A refusal, in the catalogue's words or in an upstream's. */
export interface TaskRefusal {
  readonly status: number;
  /** `upstream_error` for what an upstream did without saying more. */
  readonly type: string;
  readonly code: string;
  readonly message: string;
}

export interface PolledTask {
  readonly upstreamId: string;
  /** As the plan named it. */
  readonly action: string;
}

export interface TaskProvider {
  /** In rows and logs. */
  readonly platform: string;
  readonly table: TaskTable;
  readonly channelTypes: readonly number[];
  readonly prefixes: readonly string[];
  readonly routes: readonly TaskRoute[];
  /** What a submission's row holds until the upstream has answered. */
  readonly submitting: TaskColumns;
  /** A task that is not over after so long has failed. */
  readonly lifetimeSec: number;

  auth(key: string, nowSec: number): Readonly<Record<string, string>>;
  /** @throws AppError field_missing, field_wrong. */
  plan(asked: {
    readonly name: string;
    readonly body: JsonObject;
    readonly options: OptionValues;
  }): TaskPlan;
  buildSubmit(plan: TaskPlan, facts: SubmitFacts): TaskRequest;
  /** Undefined when this is no answer of the provider's at all. */
  readSubmit(plan: TaskPlan, reply: TaskReply, nowMs: number): SubmitAnswer | undefined;
  /** Where a question of a route that `does: 'ask'` goes; `name` is the last part of its path. */
  buildQuestion?(upstreamId: string, name: string): TaskRequest;

  readonly poll: {
    /** Ids in one question. */
    readonly batch: number;
    /** Of none: a question that costs nothing and shows that the key is good. */
    build(tasks: readonly PolledTask[]): TaskRequest;
    read(json: unknown): readonly TaskReport[];
    /** Whether this is an answer to the question, be it an empty one: a page or an error is not. */
    isAnswer(json: unknown): boolean;
  };
  /** The upstream tells of tasks by itself, where the operator lets it. */
  readonly callbacks?: {
    isWanted(options: OptionValues): boolean;
    read(json: unknown): TaskReport | undefined;
    readonly answer: JsonObject;
  };

  /** A task as clients see it. */
  shown(row: JsonObject, site: TaskSite): JsonObject;
  /** Answers of the routes that `fetch` and `list`. */
  one(task: JsonObject): unknown;
  many(tasks: readonly JsonObject[]): unknown;
  refusal(refusal: TaskRefusal): { readonly status: number; readonly body: JsonObject };
}

/** For upstreams that are asked about many at once. */
export function idsOf(tasks: readonly PolledTask[]): readonly string[] {
  return [...new Set(tasks.map(({ upstreamId }) => upstreamId))];
}
