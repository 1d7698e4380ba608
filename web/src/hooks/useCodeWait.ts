import { useEffect, useState } from 'react';
import { STORED, useStored } from '../lib/browser/stored.ts';

const WAIT_MS = 30_000;

/** Seconds until another email code may be requested; survives a reload. */
export function useCodeWait(): { readonly seconds: number; start(): void } {
  const [untilMs, setUntilMs] = useStored(STORED.codeWaitUntilMs);
  const [nowMs, setNowMs] = useState(() => Date.now());
  const seconds = Math.min(WAIT_MS / 1000, Math.max(0, Math.ceil((untilMs - nowMs) / 1000)));
  useEffect(() => {
    if (untilMs <= Date.now()) return;
    const timer = setInterval(() => setNowMs(Date.now()), 500);
    return () => clearInterval(timer);
  }, [untilMs]);
  const start = () => {
    setNowMs(Date.now());
    setUntilMs(Date.now() + WAIT_MS);
  };
  return { seconds, start };
}
