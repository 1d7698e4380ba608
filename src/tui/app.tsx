/** The running dashboard: processes keys and renders frames or screen-reader text. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { ScreenFrame } from './components/frame.tsx';
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
  return <ScreenFrame runtime={runtime} />;
}

export interface TuiOutput {
  /** False while another program controls the terminal. */
  isOpen(): boolean;
  write(text: string): void;
}

/** Appends only new text below the previous output; draws nothing. */
export function LinearApp({ runtime, output }: Props & { readonly output: TuiOutput }) {
  useRunning(runtime);
  useEffect(() => {
    const announcer = new Announcer(runtime);
    let due: NodeJS.Immediate | undefined;
    // Announces all changes of one event loop turn together.
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

/** Polls and handles keys while the component is mounted. */
function useRunning(runtime: Runtime): void {
  useKeys((key) => runtime.key(key));
  useEffect(() => {
    runtime.start();
    return () => runtime.stop();
  }, [runtime]);
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
