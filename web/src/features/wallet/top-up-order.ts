/** How a top-up is paid, as the call names it. */
export type Method = 'zfb' | 'wx';

/** A top-up that the payment page is to be opened for. */
export interface Wanted {
  readonly amount: number;
  readonly method: Method;
  /** Always sent, empty when none was given. */
  readonly top_up_code: string;
}
