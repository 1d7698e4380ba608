/** Messages between the counter and its thread. */
export interface CountJob {
  readonly id: number;
  readonly texts: readonly string[];
}

export interface CountReply {
  readonly id: number;
  /** One per text of the job. */
  readonly counts: readonly number[];
}
