/** Tells the limits that the call was answered; a stream counts when it has ended well. */
export type CountSuccess = () => Promise<void>;
