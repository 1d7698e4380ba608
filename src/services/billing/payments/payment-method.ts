/**
 * What the gateway asks of a payment provider: a form that leads to its payment page, and a reading
 * of its notices. Both are pure; orders and balances are none of its business.
 */
import type { OptionValues } from '../../../domain/options/registry.ts';

/** An order as the provider is told of it. */
export interface Order {
  readonly tradeNo: string;
  /** As clients name it (`payment_method`); one of the provider's `methods`. */
  readonly method: string;
  /** What the user asked for, as the title of the payment page names it. */
  readonly amount: number;
  /** Two decimals. */
  readonly money: string;
}

/** Fields of a form that the user's browser posts to `url`. */
export interface Checkout {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A genuine notice. */
export interface Notice {
  readonly tradeNo: string;
  /** Hundredths; undefined when the amount cannot be read. */
  readonly cents: number | undefined;
  readonly isPaid: boolean;
}

export interface PaymentMethod {
  /** Stands in the orders and in the path of the notices. */
  readonly provider: string;
  /** Values of `payment_method` that lead to it. */
  readonly methods: readonly string[];
  /** What it answers a notice with. */
  readonly answers: { readonly taken: string; readonly refused: string };
  /** Whether all it needs is configured. */
  isReady(options: OptionValues): boolean;
  checkout(options: OptionValues, order: Order): Checkout;
  /** Undefined when the notice is forged or for somebody else. */
  readNotice(options: OptionValues, params: Readonly<Record<string, unknown>>): Notice | undefined;
}
