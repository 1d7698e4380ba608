import type { Medium } from './media/medium.ts';

export interface Route {
  readonly endpoint: Endpoint;
  readonly method: 'GET' | 'POST';
  readonly azure: boolean;
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

export type Endpoint =
  | 'chat'
  | 'completions'
  | 'embeddings'
  | 'moderations'
  | 'messages'
  | 'responses'
  | 'response'
  | 'generate'
  | 'converse'
  | 'token'
  | 'realtime'
  | 'models'
  | 'model'
  | 'balance'
  | 'media'
  | 'app'
  | 'task'
  | 'file'
  | 'unknown';
