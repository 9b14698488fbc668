/** The top of every page: the way home, the search, the zone of all times, whether the page is live, and whose session this is. */
import { pagePath } from "@svc/contract";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { prefer, timeZone, usePreferences } from "../preferences/preferences.ts";
import { Menu } from "../ui/menu.tsx";
import { keysText, useShortcut } from "../ui/shortcuts.ts";
import { Text } from "../ui/text.tsx";
import { Connection } from "./connection.tsx";
import { NavigationButton } from "./navigation.tsx";
// Loaded with the page: the keys that follow Ctrl K at once belong to it, not to the page below.
import { Palette } from "./palette/palette.tsx";
import { useSession } from "./session.tsx";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";

/** Shows the banner. @param props.signOut ends the session */
export function Banner({ signOut }: { signOut(): void }) {
  const [open, setOpen] = useState<"palette" | "shortcuts">();
  const close = () => setOpen(undefined);
  useShortcut({
    keys: "Mod+k",
    label: "Search or run a command",
    group: "Everywhere",
    act: () => setOpen("palette"),
  });
  useShortcut({ keys: "?", label: "This list", group: "Everywhere", act: () => setOpen("shortcuts") });
  return (
    <header className="banner">
      <NavigationButton />
      <Link href="/" className="brand">
        svc
      </Link>
      <button
        type="button"
        className="quiet-button search-button"
        aria-keyshortcuts="Control+K"
        onClick={() => setOpen("palette")}
      >
        <span>Search or run a command</span>
        <span aria-hidden="true">
          <kbd>{keysText("Mod+k")}</kbd>
        </span>
      </button>
      <Connection />
      <TimeZoneMenu />
      <AccountMenu signOut={signOut} />
      {open === "palette" && <Palette onClose={close} signOut={signOut} />}
      {open === "shortcuts" && <ShortcutsDialog onClose={close} />}
    </header>
  );
}

function TimeZoneMenu() {
  const [, navigate] = useLocation();
  usePreferences();
  const zone = timeZone();
  return (
    <span className="on-wide">
      <Menu
        name={`Time zone: ${zone}`}
        items={[
          { label: "Zone of this browser", act: () => prefer({ timeZone: null }) },
          { label: "UTC", act: () => prefer({ timeZone: "UTC" }) },
          { label: "Another zone …", act: () => navigate(pagePath("profile", {})) },
        ]}
      >
        {zone}
      </Menu>
    </span>
  );
}

function AccountMenu({ signOut }: { signOut(): void }) {
  const { user, team, role } = useSession();
  const [, navigate] = useLocation();
  return (
    <Menu
      items={[
        { label: "Your account and settings", act: () => navigate(pagePath("profile", {})) },
        { label: "Sign out", act: signOut },
      ]}
      head={
        <div className="menu-head">
          <Text>{user.email}</Text>
          <span className="quiet">
            <Text>{`${team.name}, ${role}`}</Text>
          </span>
        </div>
      }
    >
      Account
    </Menu>
  );
}
