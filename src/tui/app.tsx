/** The dashboard as it runs: keys in, frames or screen-reader text out. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { Frame } from './components/frame.tsx';
import type { Runtime } from './runtime.ts';
import { Announcer } from './screen-reader/announcer.ts';
import { useKeys } from './use-keys.ts';

const FRAME_MS = 1000 / 12;

interface Props {
  readonly runtime: Runtime;
}

export function App({ runtime }: Props) {
  useRunning(runtime);
  useSyncExternalStore(
    useMemo(() => throttled(FRAME_MS, runtime.subscribe), [runtime]),
    () => runtime.state,
  );
  return <Frame runtime={runtime} />;
}

export interface Output {
  /** False while another program has the terminal. */
  isOpen(): boolean;
  write(text: string): void;
}

/** Writes what is new below what was written before; draws nothing. */
export function LinearApp({ runtime, output }: Props & { readonly output: Output }) {
  useRunning(runtime);
  useEffect(() => {
    const announcer = new Announcer(runtime);
    let due: NodeJS.Immediate | undefined;
    // Changes of one turn of the event loop are announced together.
    const announce = () => {
      due ??= setImmediate(() => {
        due = undefined;
        if (output.isOpen()) output.write(announcer.next());
      });
    };
    announce();
    const unsubscribe = runtime.subscribe(announce);
    return () => {
      clearImmediate(due);
      unsubscribe();
    };
  }, [runtime, output]);
  return null;
}

/** Polls, and takes the keys, as long as the component is there. */
function useRunning(runtime: Runtime): void {
  useKeys((key) => runtime.key(key));
  useEffect(() => {
    runtime.start();
    return () => runtime.stop();
  }, [runtime]);
}

type Subscribe = (listener: () => void) => () => void;

/** Passes on the first change at once, and those that follow within `everyMs` as one. */
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
