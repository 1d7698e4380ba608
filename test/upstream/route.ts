import type { Medium } from './media/media-endpoints.ts';

export interface Route {
  readonly endpoint: Endpoint;
  readonly method: 'GET' | 'POST';
  readonly azure: boolean;
  /** The path itself asks for a stream (Gemini). */
  readonly streams?: boolean;
  /**
   * Deployment (Azure), model id, kind of list, the balance page, the id of a kept response, or the
   * protocol of a single service.
   */
  readonly name?: string;
  /** Whose proof the call must bear: AWS's, Google's token, Google's key, or none but an assertion. */
  readonly cloud?: 'bedrock' | 'vertex' | 'express' | 'google';
  /** Google's project that is to pay. */
  readonly project?: string;
  /** What is asked of a kept response; whose task it is. */
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
