import { problemOf } from '../../api/problem.ts';
import { Button } from '../../components/button.tsx';
import { Description, DescriptionList } from '../../components/description-list.tsx';

interface SomebodyElseProps {
  /** `signed_in_as_another`: the link is not used up. */
  error: unknown;
  onStay: () => void;
  onReplace: () => void;
}

/** A link for another person, opened in a browser that is signed in. It may come from an attacker who wants this person to work in their account. */
export function SomebodyElse({ error, onStay, onReplace }: SomebodyElseProps) {
  const { signed_in_as, link_for } = problemOf(error) as { signed_in_as?: string; link_for?: string };
  return (
    <div className="form">
      <header>
        <h1>This link is for somebody else</h1>
        <p className="muted">
          If you go on, you are signed out, and whatever you write or attach then belongs to them. Stay signed in if you
          did not ask for this link.
        </p>
      </header>
      <DescriptionList>
        <Description label="You are">
          <strong>{signed_in_as}</strong>
        </Description>
        <Description label="The link is for">
          <strong>{link_for}</strong>
        </Description>
      </DescriptionList>
      <Button kind="primary" onClick={onStay}>
        Stay signed in
      </Button>
      <Button onClick={onReplace}>Sign out and use the link</Button>
    </div>
  );
}
