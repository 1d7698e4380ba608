/** The one component: lines of the frame as they are painted, keys as they come. */
import { Box, Text, useStdin } from 'ink';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { listen } from './keyboard.ts';
import { type Palette, painted } from './model/paint.ts';
import type { Runtime } from './runtime.ts';
import { frameLines } from './view/frame.ts';

const FRAME_MS = 1000 / 12;

interface Props {
  readonly runtime: Runtime;
  readonly palette: Palette;
}

export function App({ runtime, palette }: Props) {
  const { stdin } = useStdin();
  useSyncExternalStore(
    useMemo(() => atMostEvery(FRAME_MS, runtime.subscribe), [runtime]),
    () => runtime.state,
    () => runtime.state,
  );
  useEffect(() => listen(stdin, (key) => runtime.key(key)), [stdin, runtime]);
  return <Frame runtime={runtime} palette={palette} />;
}

export function Frame({ runtime, palette }: Props) {
  return (
    <Box flexDirection="column">
      {frameLines(runtime).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place on the screen.
        <Text key={index} wrap="truncate">
          {painted(line, palette) || ' '}
        </Text>
      ))}
    </Box>
  );
}

type Subscribe = (listener: () => void) => () => void;

/** The first change is told at once, those that follow too soon as one. */
function atMostEvery(everyMs: number, subscribe: Subscribe): Subscribe {
  return (listener) => {
    let timer: NodeJS.Timeout | undefined;
    let isBehind = false;
    const tell = () => {
      isBehind = false;
      timer = setTimeout(() => {
        timer = undefined;
        if (isBehind) tell();
      }, everyMs);
      listener();
    };
    const unsubscribe = subscribe(() => {
      if (timer === undefined) tell();
      else isBehind = true;
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  };
}
