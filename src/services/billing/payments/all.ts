/** The payment providers of this build; the first that is configured and has the method is used. */
import type { OptionValues } from '../../../domain/options/registry.ts';
import { epay } from './epay.ts';
import type { PaymentProvider } from './payment-method.ts';

const PROVIDERS: readonly PaymentProvider[] = [epay];

export function paymentProviderNamed(name: string): PaymentProvider | undefined {
  return PROVIDERS.find(({ provider }) => provider === name);
}

export function paymentProviderFor(
  options: OptionValues,
  method: string,
): PaymentProvider | undefined {
  return PROVIDERS.find((one) => one.isReady(options) && one.methods.includes(method));
}

/** Whether any payment provider is configured. */
export function isTopUpOpen(options: OptionValues): boolean {
  return PROVIDERS.some((one) => one.isReady(options));
}
