import { Portal } from '@mantine/core';
import { useEffect, useState } from 'react';
import classes from './NewYear.module.css';

const LASTS_MS = 4_000;
const SPARKS = 40;

/** A few seconds of confetti that does not block input; off with reduced motion. */
export function NewYear() {
  const [isOver, setOver] = useState(matchMedia('(prefers-reduced-motion: reduce)').matches);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), LASTS_MS);
    return () => clearTimeout(timer);
  }, []);
  if (isOver) return null;
  return (
    <Portal>
      <div className={classes.sky} aria-hidden>
        {Array.from({ length: SPARKS }, (_, spark) => (
          <span
            key={`spark ${spark}`}
            className={classes.spark}
            style={{
              left: `${(spark * 37) % 100}%`,
              animationDelay: `${(spark * 61) % 1500}ms`,
              background: `var(--series-${(spark % 8) + 1})`,
            }}
          />
        ))}
      </div>
    </Portal>
  );
}
