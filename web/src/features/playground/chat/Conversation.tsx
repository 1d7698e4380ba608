import { Button } from '@mantine/core';
import { IconArrowDown, IconMessageCircle } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '../../../components/layout/list-states.tsx';
import classes from '../Playground.module.css';
import { TurnView } from './TurnView.tsx';
import type { Chat } from './useChat.ts';

/** This near to its end a reader is taken to follow along. */
const NEAR_PX = 48;

interface TalkProps {
  readonly chat: Chat;
  readonly model: string;
}

/** What was said; follows the newest words unless the reader scrolled away from them. */
export function Talk({ chat, model }: TalkProps) {
  const { t } = useTranslation();
  const place = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const { turns } = chat;
  const asked = turns.findLast(({ role }) => role === 'user')?.id;
  const [askedBefore, setAskedBefore] = useState(asked);
  // What the reader has just sent, and its answer, are what the reader wants to see.
  if (asked !== askedBefore) {
    setAskedBefore(asked);
    setFollowing(true);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: new words are what moves the end
  useLayoutEffect(() => {
    if (isFollowing && place.current) place.current.scrollTop = place.current.scrollHeight;
  }, [turns, isFollowing]);
  return (
    <div className={classes.talk}>
      <div
        ref={place}
        className={classes.turns}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be within the keyboard's reach
        tabIndex={0}
        role="log"
        aria-label={t('playground.talk')}
        aria-live="off"
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setFollowing(scrollHeight - scrollTop - clientHeight < NEAR_PX)
        }
      >
        {turns.length === 0 ? (
          <Empty
            icon={<IconMessageCircle size={36} />}
            title={t('playground.none')}
            text={t('playground.none.text', { model })}
          />
        ) : (
          turns.map((turn, index) => (
            <TurnView
              key={turn.id}
              turn={turn}
              isBusy={chat.isBusy}
              isLast={index === turns.length - 1}
              actions={chat.actions}
            />
          ))
        )}
      </div>
      {!isFollowing && (
        <Button
          className={classes.jump}
          size="xs"
          radius="xl"
          variant="default"
          leftSection={<IconArrowDown size={14} />}
          onClick={() => setFollowing(true)}
        >
          {t('playground.jump')}
        </Button>
      )}
    </div>
  );
}
