import { IconArrowDown, IconMessageCircle } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { Empty } from '../../../components/layout/list-states.tsx';
import classes from '../Playground.module.css';
import { TurnView } from './TurnView.tsx';
import type { Chat } from './useChat.ts';

/** Scrolled to within this distance of the end, the view follows new text. */
const NEAR_PX = 48;

interface ConversationProps {
  readonly chat: Chat;
  readonly model: string;
}

/** The messages; follows new text unless the user has scrolled away from the end. */
export function Conversation({ chat, model }: ConversationProps) {
  const { t } = useTranslation();
  const list = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const { turns } = chat;
  const question = turns.findLast(({ role }) => role === 'user')?.id;
  const [previousQuestion, setPreviousQuestion] = useState(question);
  // After sending, scroll to the message and its answer.
  if (question !== previousQuestion) {
    setPreviousQuestion(question);
    setFollowing(true);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: new text moves the end
  useLayoutEffect(() => {
    if (isFollowing && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [turns, isFollowing]);
  return (
    <div className={classes.conversation}>
      <div
        ref={list}
        className={classes.turns}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable by keyboard
        tabIndex={0}
        role="log"
        aria-label={t('playground.conversation')}
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
        <SideButton
          className={classes.jump}
          size="xs"
          radius="xl"
          icon={IconArrowDown}
          label={t('playground.jump')}
          onClick={() => setFollowing(true)}
        />
      )}
    </div>
  );
}
