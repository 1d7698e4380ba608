import { useEffect, useEffectEvent, useRef, useState } from 'react';

const EVERY_MS = 5_000;
const AT_MOST_MS = 600_000;

interface Watched {
  /** Units, as last fetched. */
  readonly balance: number | undefined;
  readonly refetch: () => unknown;
  /** Called with the added units. */
  readonly onCredited: (units: number) => void;
}

/** After a payment was started: polls the balance for ten minutes, until it grows. */
export function usePaymentWatch({ balance, refetch, onCredited }: Watched) {
  const [isWaiting, setWaiting] = useState(false);
  const last = useRef(balance);
  const look = useEffectEvent(() => void refetch());
  const compare = useEffectEvent(() => {
    const before = last.current;
    last.current = balance;
    if (!isWaiting || balance === undefined || before === undefined || balance <= before) return;
    setWaiting(false);
    onCredited(balance - before);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on every new balance
  useEffect(() => compare(), [balance]);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => {
      if (!document.hidden) look();
    }, EVERY_MS);
    const end = setTimeout(() => setWaiting(false), AT_MOST_MS);
    // The payment was in another tab, so it is most likely complete when the user returns.
    window.addEventListener('focus', look);
    return () => {
      clearInterval(timer);
      clearTimeout(end);
      window.removeEventListener('focus', look);
    };
  }, [isWaiting]);
  return { isWaiting, start: () => setWaiting(true), stop: () => setWaiting(false) };
}
