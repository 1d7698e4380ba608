/** The running dashboard: polls, processes keys and renders frames while it is mounted. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { ScreenFrame } from './components/frame.tsx';
import type { Runtime } from './runtime.ts';
import { useKeys } from './use-keys.ts';

const FRAME_MS = 1000 / 12;

export function App({ runtime }: { readonly runtime: Runtime }) {
  useKeys((key) => runtime.key(key));
  useEffect(() => {
    runtime.start();
    return () => runtime.stop();
  }, [runtime]);
  useSyncExternalStore(
    useMemo(() => throttled(FRAME_MS, runtime.subscribe), [runtime]),
    () => runtime.state,
  );
  return <ScreenFrame runtime={runtime} />;
}

type Subscribe = (listener: () => void) => () => void;

/** Reports the first change at once, and further changes within `everyMs` as one. */
function throttled(everyMs: number, subscribe: Subscribe): Subscribe {
  return (listener) => {
    let timer: NodeJS.Timeout | undefined;
    let isBehind = false;
    const notify = () => {
      isBehind = false;
      timer = setTimeout(() => {
        timer = undefined;
        if (isBehind) notify();
      }, everyMs);
      listener();
    };
    const unsubscribe = subscribe(() => {
      if (timer === undefined) notify();
      else isBehind = true;
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  };
}
