import type { Medium } from './media/medium.ts';

export interface Route {
  readonly endpoint: Endpoint;
  readonly method: 'GET' | 'POST';
  readonly azure?: boolean;
  /** The path itself requests a stream (Gemini). */
  readonly streams?: boolean;
  /**
   * Deployment (Azure), model id, kind of list, balance page, id of a stored response, or protocol
   * of a service.
   */
  readonly name?: string;
  /**
   * The credential the call must carry: AWS's, Google's token, Google's key, or only an assertion.
   */
  readonly cloud?: 'bedrock' | 'vertex' | 'express' | 'google';
  /** Google's project that is billed. */
  readonly project?: string;
  /** The action on a stored response, or the vendor of a task. */
  readonly action?: string;
  readonly medium?: Medium;
}

export const ENDPOINT_NAMES = [
  'chat',
  'completions',
  'embeddings',
  'moderations',
  'messages',
  'responses',
  'response',
  'generate',
  'converse',
  'token',
  'realtime',
  'models',
  'model',
  'balance',
  'media',
  'app',
  'task',
  'file',
  'unknown',
] as const;

export type Endpoint = (typeof ENDPOINT_NAMES)[number];

type More = Omit<Route, 'endpoint' | 'method'>;

export function getting(endpoint: Endpoint, more: More = {}): Route {
  return { endpoint, method: 'GET', ...more };
}

export function posting(endpoint: Endpoint, more: More = {}): Route {
  return { endpoint, method: 'POST', ...more };
}

/** The form of a path, and its route by the decoded groups of the form. */
export type Pattern = readonly [
  form: RegExp,
  read: (parts: readonly string[]) => Route | undefined,
];
