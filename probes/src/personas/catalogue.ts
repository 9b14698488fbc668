/** The AI crawlers that a check can pose as, with the user agents that their vendors document. */
import type { PersonaId } from "@svc/contract";

/** An AI crawler as a site meets it. */
export interface Persona {
  /** The crawler's name in robots.txt. */
  robotsToken: string;
  userAgent: string;
}

/**
 * The catalogue by persona id. Sources: the vendors' pages for site owners; see the URL or address in each user
 * agent.
 */
export const PERSONAS: Readonly<Record<PersonaId, Persona>> = {
  "vendor1-bot": crawler("GPTBot", "GPTBot/1.3; +https://openai.com/gptbot"),
  "vendor1-user": crawler("ChatGPT-User", "ChatGPT-User/1.0; +https://openai.com/bot"),
  "vendor1-searchbot": crawler("OAI-SearchBot", "OAI-SearchBot/1.0; +https://openai.com/searchbot"),
  "vendor2-bot": crawler("ClaudeBot", "ClaudeBot/1.0; +claudebot@anthropic.com"),
  "vendor2-user": crawler("Claude-User", "Claude-User/1.0; +Claude-User@anthropic.com"),
  "vendor2-searchbot": crawler("Claude-SearchBot", "Claude-SearchBot/1.0; +https://www.anthropic.com"),
  "vendor3-bot": crawler("PerplexityBot", "PerplexityBot/1.0; +https://perplexity.ai/perplexitybot"),
  "vendor3-user": crawler("Perplexity-User", "Perplexity-User/1.0; +https://perplexity.ai/perplexity-user"),
};

function crawler(robotsToken: string, comment: string): Persona {
  return {
    robotsToken,
    userAgent: `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ${comment})`,
  };
}
