/** The channel and key that a conversation is kept at. */

/** Where a conversation belongs. */
export interface Place {
  readonly channelId: number;
  readonly keyId: number;
}

/** What ties the calls of a conversation together. */
export interface Bond {
  readonly key: string;
  readonly by: 'session' | 'prompt';
  readonly place: Place | undefined;
}
