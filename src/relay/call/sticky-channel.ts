/** Types of channel affinity. */

/** The channel and key that a conversation is bound to. */
export interface StickyTarget {
  readonly channelId: number;
  readonly keyId: number;
}

/** The affinity of a call: its key, how the key was derived, and the channel and key it is bound to. */
export interface StickyAssignment {
  readonly key: string;
  readonly by: 'session' | 'prompt';
  readonly target: StickyTarget | undefined;
}
