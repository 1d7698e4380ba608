import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useNavigation } from 'react-router-dom';
import classes from './ProgressLine.module.css';

const PATIENCE_MS = 300;

/** A thin progress bar under the top bar, shown while a screen or response is slow. */
export function ProgressLine() {
  const isMoving = useNavigation().state !== 'idle';
  // The unread count and the status are polled in the background and do not count.
  const isFetching =
    useIsFetching({
      predicate: ({ queryKey }) => queryKey[0] !== 'status' && queryKey[1] !== 'unread',
    }) > 0;
  const isBusy = isMoving || isFetching;
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isBusy) return;
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [isBusy]);
  return isBusy && isLate ? <div className={classes.line} aria-hidden /> : null;
}
