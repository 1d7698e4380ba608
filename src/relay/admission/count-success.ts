/** Counts the call as successful in the rate limits; a stream counts once it has ended well. */
export type CountSuccess = () => Promise<void>;
