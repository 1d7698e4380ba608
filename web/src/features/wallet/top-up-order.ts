/** The payment method, in the API's terms. */
export type Method = 'zfb' | 'wx';

/** A top-up for which to open the payment page. */
export interface Wanted {
  readonly amount: number;
  readonly method: Method;
  /** Always sent; empty if there is none. */
  readonly top_up_code: string;
}
