/**
 * What several nodes must agree on for a short while: sliding-window counters and "something
 * changed" messages. Memory serves one process; Redis serves many. Nothing kept here decides money.
 */
export interface Window {
  readonly key: string;
  /** Events allowed in the window. */
  readonly limit: number;
  readonly windowMs: number;
}

export interface Kv {
  readonly kind: 'memory' | 'redis';
  /** Counts one event if it fits. 0 when counted, else milliseconds until one would fit. */
  take(window: Window): Promise<number>;
  /** As `take`, without counting. */
  peek(window: Window): Promise<number>;
  /** Counts one event that has already happened, fit or not. */
  record(window: Window): Promise<void>;
  publish(topic: string, text: string): Promise<void>;
  /** Calls back for messages of every node, this one included. */
  subscribe(topic: string, onMessage: (text: string) => void): Promise<void>;
  close(): Promise<void>;
}
