/**
 * The interface of a payment provider: builds the form that leads to its payment page and parses
 * its payment notifications. Both are pure; they do not touch orders or balances.
 */
import type { OptionValues } from '../../../domain/options/registry.ts';

/** An order as it is sent to the provider. */
export interface PaymentOrder {
  readonly tradeNo: string;
  /** The client's `payment_method`; one of the provider's `methods`. */
  readonly method: string;
  /** The amount the user requested, shown as the title on the payment page. */
  readonly amount: number;
  /** Two decimals. */
  readonly money: string;
}

/** Fields of a form that the user's browser posts to `url`. */
export interface Checkout {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A verified payment notification. */
export interface PaymentNotification {
  readonly tradeNo: string;
  /** Hundredths; undefined when the amount cannot be read. */
  readonly cents: number | undefined;
  readonly isPaid: boolean;
}

export interface PaymentProvider {
  /** Stored with orders and used in the path of the notification URL. */
  readonly provider: string;
  /** Values of `payment_method` that this provider handles. */
  readonly methods: readonly string[];
  /** Response bodies for notifications. */
  readonly responses: { readonly accepted: string; readonly rejected: string };
  /** Whether all options are configured that an order needs. */
  isReady(options: OptionValues): boolean;
  checkout(options: OptionValues, order: PaymentOrder): Checkout;
  /**
   * Undefined when the notification is forged or for another merchant. Needs no option but id and
   * key: an order may be paid after top-ups were switched off.
   */
  readNotification(
    options: OptionValues,
    params: Readonly<Record<string, unknown>>,
  ): PaymentNotification | undefined;
}
