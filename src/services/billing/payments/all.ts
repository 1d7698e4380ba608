/** The payment providers of this build; the first that is configured and has the method is used. */
import type { OptionValues } from '../../../domain/options/registry.ts';
import { epay } from './epay.ts';
import type { PaymentMethod } from './payment-method.ts';

const PROVIDERS: readonly PaymentMethod[] = [epay];

export function paymentMethodNamed(name: string): PaymentMethod | undefined {
  return PROVIDERS.find(({ provider }) => provider === name);
}

export function providerFor(options: OptionValues, method: string): PaymentMethod | undefined {
  return PROVIDERS.find((one) => one.isReady(options) && one.methods.includes(method));
}

/** Whether any payment provider is configured. */
export function isTopUpOpen(options: OptionValues): boolean {
  return PROVIDERS.some((one) => one.isReady(options));
}
