import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { wallet, walletKeys } from './calls.ts';

const PAUSE_MS = 400;

interface Asked {
  readonly amount: number;
  readonly code: string;
  readonly isOn: boolean;
}

export interface PayableState {
  /** Formatted price; undefined while unknown. */
  readonly money: string | undefined;
  readonly isPending: boolean;
  /** The gateway's reason, or '' if it gave none. */
  readonly problem: string | undefined;
  readonly error: unknown;
}

/** The price of an amount, fetched when typing stops; responses for older amounts are ignored. */
export function usePayable({ amount, code, isOn }: Asked): PayableState {
  const [settled] = useDebouncedValue(`${amount} ${code.trim()}`, PAUSE_MS);
  const isSettled = settled === `${amount} ${code.trim()}`;
  const asked = { amount, top_up_code: code.trim() };
  const query = useQuery({
    queryKey: walletKeys.part('amount', asked),
    queryFn: ({ signal }) => wallet.amount(asked, { signal }),
    enabled: isOn && isSettled,
    retry: false,
  });
  const isGood = query.data?.message === 'success';
  return {
    money: isOn && isGood ? query.data?.data : undefined,
    isPending: isOn && (!isSettled || query.isFetching) && query.data === undefined,
    problem: isOn && query.data !== undefined && !isGood ? query.data.data : undefined,
    error: isOn ? query.error : null,
  };
}
